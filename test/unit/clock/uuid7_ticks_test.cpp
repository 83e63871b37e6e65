#include "core/clock/uuid7_ticks.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "random.hpp"
#include "vectors.hpp"

namespace snowid::core {
namespace {

// RFC 9562 section 6.2 method 3: .1234567 s is 0.4567 ms into its millisecond, or 1870 of 4096 ticks.
static_assert(Uuid7Ticks::fraction_of(static_cast<std::uint64_t>(Uuid7Ticks::at({123'456'700}))) == 1870);
static_assert(Uuid7Ticks::at({-1}) == -1 && Uuid7Ticks::at({0}) == 0);
static_assert(Uuid7Ticks::in_ns(1'000'000'000) == 4'096'000);

std::int64_t position(const test::Row &row) {
    return std::stoll(row.at("unix_ms")) * 4096 + std::stoll(row.at("subms_12bit"));
}

TEST(Uuid7Ticks, HoldEveryInstantOfTheVectors) {
    for (const test::Row &row : test::read_vectors("uuidv7_method3.tsv"))
        EXPECT_EQ(Uuid7Ticks::at({std::stoll(row.at("unix_ns"))}), position(row));
    for (const test::Row &row : test::read_vectors("uuidv7_pg18_ascending.tsv"))
        EXPECT_EQ(Uuid7Ticks::at({std::stoll(row.at("issued_ns"))}), position(row));
}

TEST(Uuid7Ticks, StartWithTheFirstNanosecondTheyHold) {
    auto random = test::seeded_random();
    for (int i = 0; i < 20000; ++i) {
        const std::int64_t tick = Uuid7Ticks::at({static_cast<std::int64_t>(random() >> (1 + random() % 60))});
        const UnixNanos start = Uuid7Ticks::start(tick);
        EXPECT_EQ(Uuid7Ticks::at(start), tick);
        EXPECT_EQ(Uuid7Ticks::at({start.value - 1}), tick - 1);
    }
}

TEST(Uuid7Ticks, ShiftByTheTicksThatFitIntoTheTime) {
    auto random = test::seeded_random();
    for (int i = 0; i < 20000; ++i) {
        const std::uint64_t from = random() % Uuid7Ticks::kEnd;
        const std::int64_t us = static_cast<std::int64_t>(random()) >> random() % 64;
        __extension__ using Product = __int128;
        const Product scaled = static_cast<Product>(us) * 512;
        const Product sum = static_cast<Product>(from) + scaled / 125 - (scaled % 125 < 0);
        const bool fits = sum >= 0 && sum < static_cast<Product>(Uuid7Ticks::kEnd);
        std::uint64_t shifted = 0;
        EXPECT_EQ(Uuid7Ticks::shift(from, us, shifted), fits ? Status::ok : Status::out_of_range) << from << ' ' << us;
        EXPECT_EQ(shifted, fits ? static_cast<std::uint64_t>(sum) : 0) << from << ' ' << us;
    }
}

TEST(Uuid7Ticks, HaveAPositionForEveryTimeOfTheFormat) {
    constexpr std::int64_t kEndUs = (1LL << 48) * 1000;
    std::uint64_t position = 0;
    EXPECT_EQ(Uuid7Ticks::position_of({0}, position), Status::ok);
    EXPECT_EQ(position, 0U);
    EXPECT_EQ(Uuid7Ticks::position_of({kEndUs - 1}, position), Status::ok);
    EXPECT_EQ(position >> 12, (1ULL << 48) - 1);
    EXPECT_EQ(Uuid7Ticks::position_of({kEndUs}, position), Status::out_of_range);
    EXPECT_EQ(Uuid7Ticks::position_of({-1}, position), Status::out_of_range);
    EXPECT_EQ(Uuid7Ticks::position_of({std::numeric_limits<std::int64_t>::min()}, position), Status::out_of_range);
    EXPECT_EQ(Uuid7Ticks::position_of({std::numeric_limits<std::int64_t>::max()}, position), Status::out_of_range);
    EXPECT_EQ(Uuid7Ticks::position_of({1'645'557'742'000'500}, position), Status::ok);
    EXPECT_EQ(position, 1'645'557'742'000ULL << 12 | 2048);
}

}  // namespace
}  // namespace snowid::core
