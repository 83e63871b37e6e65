#include "core/id/ksuid.hpp"

#include <gtest/gtest.h>

#include "ids.hpp"
#include "random.hpp"

namespace snowid::core {
namespace {

using test::seconds;

// The example from KSUID's README.
static_assert([] {
    Ksuid id{};
    return parse("0ujtsYcgvSTl8PAuAdqWYSMnLOv", id) == Status::ok && id.time() == seconds(1507608047);
}());
static_assert(Ksuid::Time::first() == seconds(1400000000) && Ksuid::Time::last() == seconds(5694967295));

TEST(Ksuid, RoundTripsEveryVector) {
    for (const test::Row &row : test::read_vectors("ksuid.valid.tsv")) {
        const Ksuid id = test::expect_round_trip<Ksuid>(row);
        EXPECT_EQ(id.time(), seconds(std::stoll(row.at("unix_s"))));
        EXPECT_EQ(load_be<4>(id.bytes.data()), std::stoull(row.at("raw_ts")));
        EXPECT_EQ(test::hex(id.payload()), row.at("payload_hex"));
        Ksuid composed{};
        EXPECT_EQ(compose(id.time(), id.payload(), composed), Status::ok);
        EXPECT_EQ(composed, id);
    }
}

TEST(Ksuid, RefusesEveryInvalidVector) { test::expect_all_refused<Ksuid>("ksuid.invalid.tsv"); }

TEST(Ksuid, SortsLikeTheReference) {
    for (const test::Row &row : test::read_vectors("ksuid_nextprev.tsv")) {
        const Ksuid id = test::id_of<Ksuid>(row.at("hex"));
        EXPECT_EQ(id < test::id_of<Ksuid>(row.at("next_hex")), row.at("hex") != std::string(40, 'f'));
        EXPECT_EQ(id > test::id_of<Ksuid>(row.at("prev_hex")), row.at("hex") != std::string(40, '0'));
    }
}

TEST(Ksuid, ComposeRefusesATimeThatDoesNotFit) {
    Ksuid id{};
    EXPECT_EQ(compose({Ksuid::Time::first().value - 1}, {}, id), Status::out_of_range);
    EXPECT_EQ(compose({Ksuid::Time::last().value + 1}, {}, id), Status::out_of_range);
    ASSERT_EQ(compose({Ksuid::Time::first().value + 999'999}, {}, id), Status::ok);
    EXPECT_EQ(id, Ksuid{});
}

TEST(Ksuid, KeepsAPositionAboveItsRandomBits) {
    constexpr std::uint64_t kPerSecond = 4'096'000;
    constexpr std::uint64_t kFirst = 1'400'000'000 * kPerSecond;
    auto random = test::seeded_random();
    for (int i = 0; i < 1000; ++i) {
        // Half of the positions are close to the end of a second.
        std::uint64_t since = random() % (kPerSecond << 32);
        if (i % 2 == 0) since = since / kPerSecond * kPerSecond - 1;
        const auto bytes = test::random_bytes<Ksuid::kRandomSize>(random);
        Ksuid id{}, next{};
        ASSERT_EQ(from_position(kFirst + since, bytes, id), Status::ok);
        ASSERT_EQ(from_position(kFirst + since + 1, test::random_bytes<Ksuid::kRandomSize>(random), next), Status::ok);
        EXPECT_LT(id, next);
        EXPECT_EQ(load_be<4>(id.bytes.data()), since / kPerSecond);
        EXPECT_EQ(load_be<3>(id.payload().data()) >> 2, since % kPerSecond);
        EXPECT_EQ(id.payload()[2] & 0x03, bytes[0] & 0x03);
        EXPECT_EQ((cut<3, 13>(id.payload())), (cut<1, 13>(bytes)));
    }
}

TEST(Ksuid, RefusesAPositionOutsideItsTime) {
    Ksuid id{};
    EXPECT_EQ(from_position(0, {}, id), Status::out_of_range);
    EXPECT_EQ(from_position(1'400'000'000 * 4'096'000ULL - 1, {}, id), Status::out_of_range);
    EXPECT_EQ(from_position(1'400'000'000 * 4'096'000ULL, {}, id), Status::ok);
    EXPECT_EQ(from_position(5'694'967'296 * 4'096'000ULL - 1, {}, id), Status::ok);
    EXPECT_EQ(from_position(5'694'967'296 * 4'096'000ULL, {}, id), Status::out_of_range);
    EXPECT_EQ(from_position(~0ULL, {}, id), Status::out_of_range);
}

}  // namespace
}  // namespace snowid::core
