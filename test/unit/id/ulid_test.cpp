#include "core/id/ulid.hpp"

#include <gtest/gtest.h>

#include "ids.hpp"
#include "random.hpp"

namespace snowid::core {
namespace {

using test::ms;

// The example from the ULID specification.
static_assert([] {
    Ulid id{};
    return parse("01ARZ3NDEKTSV4RRFFQ69G5FAV", id) == Status::ok && id.time() == ms(1469922850259);
}());
static_assert(Ulid::Time::last() == ms(281474976710655));

TEST(Ulid, RoundTripsEveryVector) {
    for (const test::Row &row : test::read_vectors("ulid.valid.tsv")) {
        const Ulid id = test::expect_round_trip<Ulid>(row);
        EXPECT_EQ(id.time(), ms(std::stoll(row.at("unix_ms"))));
        EXPECT_EQ(test::hex(id.entropy()), row.at("entropy_hex"));
        Ulid composed{};
        EXPECT_EQ(compose(id.time(), id.entropy(), composed), Status::ok);
        EXPECT_EQ(composed, id);
    }
}

TEST(Ulid, RefusesEveryInvalidVector) { test::expect_all_refused<Ulid>("ulid.invalid.tsv"); }

TEST(Ulid, ReadsLowerCase) {
    for (const test::Row &row : test::read_vectors("ulid.lenient.tsv"))
        test::expect_reads<Ulid>(row.at("input"), row.at("canonical"));
}

TEST(Ulid, RefusesWhatOnlyCrockfordsDecoderAccepts) {
    for (const test::Row &row : test::read_vectors("ulid.crockford_lenient.tsv")) {
        const std::string &input = row.at("input");
        if (input == row.at("canonical")) continue;
        const bool is_hyphened = input.size() != Ulid::kTextSize;
        test::expect_refused<Ulid>(input, is_hyphened ? Status::bad_length : Status::bad_character);
    }
}

TEST(Ulid, ComposeRefusesATimeThatDoesNotFit) {
    for (const test::Row &row : test::read_vectors("ulid_ms.tsv")) {
        Ulid id{};
        const auto entropy = test::bytes_of<10>(row.at("entropy_hex"));
        const Status status = compose(ms(std::stoll(row.at("unix_ms"))), entropy, id);
        EXPECT_EQ(status, row.at("result") == "ok" ? Status::ok : Status::out_of_range);
        if (status == Status::ok) {
            EXPECT_EQ(test::text_of(id), row.at("text"));
        }
    }
    Ulid id{};
    EXPECT_EQ(compose({-1}, {}, id), Status::out_of_range);
}

TEST(Ulid, HasTheBytesOfAUuid) {
    for (test::Row row : test::read_vectors("ulid_uuid.tsv")) {
        std::erase(row["uuid"], '-');
        EXPECT_EQ(test::text_of(test::id_of<Ulid>(row["uuid"])), row["ulid"]);
    }
}

TEST(Ulid, SortsLikeTheMonotonicReference) {
    for (const test::Row &row : test::read_vectors("ulid_monotonic_increment.tsv")) {
        Ulid id{}, next{};
        if (row.at("next_same_ms").starts_with("error")) continue;
        ASSERT_EQ(parse(row.at("ulid"), id), Status::ok);
        ASSERT_EQ(parse(row.at("next_same_ms"), next), Status::ok);
        EXPECT_LT(id, next);
    }
}

TEST(Ulid, KeepsAPositionAboveItsRandomBits) {
    auto random = test::seeded_random();
    for (int i = 0; i < 1000; ++i) {
        const std::uint64_t position = random() % (Uuid7Ticks::kEnd - 1);
        const auto bytes = test::random_bytes<Ulid::kRandomSize>(random);
        Ulid id{}, next{};
        ASSERT_EQ(from_position(position, bytes, id), Status::ok);
        ASSERT_EQ(from_position(position + 1, test::random_bytes<Ulid::kRandomSize>(random), next), Status::ok);
        EXPECT_LT(id, next);
        EXPECT_EQ(id.time(), ms(static_cast<std::int64_t>(position >> 12)));
        EXPECT_EQ(load_be<2>(id.entropy().data()) >> 4, position & 0xFFF);
        EXPECT_EQ(id.entropy()[1] & 0x0F, bytes[0] & 0x0F);
        EXPECT_EQ((cut<2, 8>(id.entropy())), (cut<1, 8>(bytes)));
    }
    Ulid id{};
    EXPECT_EQ(from_position(Uuid7Ticks::kEnd, {}, id), Status::out_of_range);
}

}  // namespace
}  // namespace snowid::core
