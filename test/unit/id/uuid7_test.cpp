#include "core/id/uuid7.hpp"

#include <gtest/gtest.h>

#include "ids.hpp"
#include "random.hpp"

namespace snowid::core {
namespace {

using test::ms;

Uuid7 of_text(std::string text) {
    std::erase(text, '-');
    return test::id_of<Uuid7>(text);
}

// RFC 9562 appendix A.6: 017F22E2-79B0-7CC3-98C4-DC0C0C07398F.
static_assert([] {
    Uuid7 id{};
    return compose(ms(1645557742000), 0xCC3, 0x18C4DC0C0C07398F, id) == Status::ok &&
           load_be<8>(id.bytes.data()) == 0x017F22E279B07CC3 && load_be<8>(id.bytes.data() + 8) == 0x98C4DC0C0C07398F;
}());

TEST(Uuid7, HasThePartsOfEveryVector) {
    for (const test::Row &row : test::read_vectors("uuidv7.valid.tsv")) {
        const Uuid7 id = test::id_of<Uuid7>(row.at("hex"));
        EXPECT_TRUE(id.is_version7());
        EXPECT_EQ(id, of_text(row.at("text")));
        EXPECT_EQ(id.time(), ms(std::stoll(row.at("unix_ms"))));
        EXPECT_EQ(id.rand_a(), std::stoll(row.at("rand_a")));
        EXPECT_EQ(id.rand_b(), std::stoll(row.at("rand_b_hex"), nullptr, 16));
        Uuid7 composed{};
        EXPECT_EQ(compose(id.time(), id.rand_a(), id.rand_b(), composed), Status::ok);
        EXPECT_EQ(composed, id);
    }
}

TEST(Uuid7, DistinguishesVersionsAndVariants) {
    for (const test::Row &row : test::read_vectors("uuid_version.tsv")) {
        const Uuid7 id = of_text(row.at("text"));
        EXPECT_EQ(id.has_version(), row.at("variant") == "rfc9562") << row.at("text");
        if (id.has_version()) {
            EXPECT_EQ(id.version(), std::stoi(row.at("version")));
        }
        EXPECT_EQ(id.is_version7(), row.at("version") == "7") << row.at("text");
        if (id.is_version7()) {
            EXPECT_EQ(id.time(), ms(std::stoll(row.at("unix_ms_if_timestamped"))));
        }
    }
}

TEST(Uuid7, ReadsTheTimeOfOtherGenerators) {
    for (const test::Row &row : test::read_vectors("uuidv7_npm_counter32.tsv")) {
        const Uuid7 id = of_text(row.at("uuid"));
        EXPECT_TRUE(id.is_version7());
        EXPECT_EQ(id.time(), ms(std::stoll(row.at("unix_ms"))));
    }
}

TEST(Uuid7, KeepsThePositionOfEveryInstant) {
    for (const test::Row &row : test::read_vectors("uuidv7_method3.tsv")) {
        const auto position = static_cast<std::uint64_t>(Uuid7Ticks::at({std::stoll(row.at("unix_ns"))}));
        Uuid7 id{};
        ASSERT_EQ(from_position(position, {}, id), Status::ok);
        EXPECT_EQ(test::hex(cut<0, 8>(id.bytes)), row.at("bytes_0_7_hex"));
        EXPECT_EQ(id.rand_a(), std::stoll(row.at("subms_12bit")));
    }
    Uuid7 id{};
    EXPECT_EQ(from_position(Uuid7Ticks::kEnd, {}, id), Status::out_of_range);
}

TEST(Uuid7, KeepsItsRandomBitsBelowTheVariant) {
    auto random = test::seeded_random();
    for (int i = 0; i < 1000; ++i) {
        const auto bytes = test::random_bytes<Uuid7::kRandomSize>(random);
        Uuid7 id{};
        ASSERT_EQ(from_position(random() % Uuid7Ticks::kEnd, bytes, id), Status::ok);
        EXPECT_TRUE(id.is_version7());
        EXPECT_EQ(static_cast<std::uint64_t>(id.rand_b()), load_be<8>(bytes.data()) << 2 >> 2);
    }
}

TEST(Uuid7, ComposeRefusesPartsThatDoNotFit) {
    Uuid7 id{};
    EXPECT_EQ(compose(ms(-1), 0, 0, id), Status::out_of_range);
    EXPECT_EQ(compose(ms(1LL << 48), 0, 0, id), Status::out_of_range);
    EXPECT_EQ(compose(ms(0), -1, 0, id), Status::out_of_range);
    EXPECT_EQ(compose(ms(0), 0x1000, 0, id), Status::out_of_range);
    EXPECT_EQ(compose(ms(0), 0, -1, id), Status::out_of_range);
    EXPECT_EQ(compose(ms(0), 0, 1LL << 62, id), Status::out_of_range);
    EXPECT_EQ(compose(ms(0), 0xFFF, (1LL << 62) - 1, id), Status::ok);
}

TEST(Uuid7, LowerBoundIsTheSmallestIdOfVersion7) {
    Uuid7 bound{};
    ASSERT_EQ(lower_bound({-1}, bound), Status::ok);
    EXPECT_EQ(test::hex(bound.bytes), "00000000000070008000000000000000");
}

}  // namespace
}  // namespace snowid::core
