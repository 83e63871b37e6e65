#include "core/id/time_range.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>
#include <vector>

#include "../ids.hpp"
#include "layout/random_layout.hpp"
#include "random.hpp"

namespace snowid::core {
namespace {

constexpr int kRanges = 3000;
constexpr Side kSides[] = {Side::before, Side::until, Side::from, Side::after};

bool compare_times(UnixMicros a, Side side, UnixMicros b) {
    switch (side) {
        case Side::before: return a < b;
        case Side::until: return a <= b;
        case Side::from: return a >= b;
        case Side::after: return a > b;
    }
    return false;
}

template <typename Id>
bool holds(const IdRange<Id> &range, const Id &id) {
    return id >= range.first && id <= range.last;
}

// The instant, its neighbours, and the two values that are not instants.
std::vector<UnixMicros> times_around(UnixMicros t) {
    std::vector<UnixMicros> times{kBeforeAll, {kBeforeAll.value + 1}, kAfterAll, {kAfterAll.value - 1}, t};
    if (t > kBeforeAll) times.push_back({t.value - 1});
    if (t < kAfterAll) times.push_back({t.value + 1});
    return times;
}

TEST(Side, IsReadFromItsOperator) {
    Side side{};
    EXPECT_EQ(parse("<", side), Status::ok);
    EXPECT_EQ(side, Side::before);
    EXPECT_EQ(parse("<=", side), Status::ok);
    EXPECT_EQ(side, Side::until);
    EXPECT_EQ(parse(">=", side), Status::ok);
    EXPECT_EQ(side, Side::from);
    EXPECT_EQ(parse(">", side), Status::ok);
    EXPECT_EQ(side, Side::after);
    for (const char *text : {"", "=", "<>", "=<", " <"}) EXPECT_EQ(parse(text, side), Status::bad_character) << text;
}

template <typename Id>
class IdsWhen : public testing::Test {
protected:
    static Id random_id(std::mt19937_64 &random) {
        Id id{test::random_bytes<sizeof(Id)>(random)};
        if (random() % 8 == 0) id = all_bits<Id>(random() % 2 != 0);
        if (random() % 8 == 0) id = first_of_tick<Id>(random() % (Id::Time::kLastTick + 1));
        if (random() % 8 == 0) id = last_of_tick<Id>(random() % (Id::Time::kLastTick + 1));
        if constexpr (std::is_same_v<Id, Uuid7>) id = Uuid7::of(load_be<6>(id.bytes.data()), id.rand_a(), id.rand_b());
        return id;
    }
};

TYPED_TEST_SUITE(IdsWhen, test::TimedIds);

TYPED_TEST(IdsWhen, HoldsExactlyTheIdsWhoseTimeIsOnThatSide) {
    std::mt19937_64 random = test::seeded_random();
    for (int i = 0; i < kRanges; ++i) {
        const TypeParam a = this->random_id(random), b = this->random_id(random);
        for (const UnixMicros t : times_around(b.time()))
            for (const Side side : kSides)
                for (const TypeParam &id : {a, b})
                    ASSERT_EQ(holds(ids_when<TypeParam>(side, t), id), compare_times(id.time(), side, t))
                        << test::hex(id.bytes) << ' ' << t.value << ' ' << static_cast<int>(side);
    }
}

TYPED_TEST(IdsWhen, IntersectionHoldsTheIdsOfBothRanges) {
    std::mt19937_64 random = test::seeded_random();
    for (int i = 0; i < kRanges; ++i) {
        const TypeParam id = this->random_id(random), from = this->random_id(random), to = this->random_id(random);
        const auto both = ids_when<TypeParam>(Side::from, from.time()) & ids_when<TypeParam>(Side::before, to.time());
        ASSERT_EQ(holds(both, id), id.time() >= from.time() && id.time() < to.time());
    }
}

Snowflake random_snowflake(std::mt19937_64 &random, const Layout &layout) {
    constexpr std::int64_t kEnds[] = {INT64_MIN + 1, INT64_MAX, -1, 0, 1};
    if (random() % 4 == 0) return {kEnds[random() % 5]};
    const std::uint64_t tick = random() % (static_cast<std::uint64_t>(layout.last_tick()) + 1);
    const std::uint64_t start = layout.time().place(tick);
    return Snowflake::of_bits(random() % 4 == 0 ? random() : start + random() % 3 - 1);
}

// The caller must handle negative ids of a layout that uses the sign bit; see ids_when().
void check_snowflake(const Layout &layout, Side side, UnixMicros t, Snowflake id) {
    const bool is_late = layout.is_unsigned() && id.value < 0;
    const bool expected = is_late ? is_below(side) : compare_times(layout.time_of(id.bits()), side, t);
    if (is_late && t == kBeforeAll) return;
    ASSERT_EQ(holds(ids_when(layout, side, t), id), expected)
        << id.value << ' ' << t.value << ' ' << static_cast<int>(side);
}

TEST(SnowflakesWhen, HoldsExactlyTheIdsWhoseTimeIsOnThatSide) {
    std::mt19937_64 random = test::seeded_random();
    for (int i = 0; i < kRanges; ++i) {
        const test::RandomLayout made = test::random_layout(random);
        SCOPED_TRACE(made.text());
        const Layout layout = test::layout_of(made.text());
        for (int j = 0; j < 5; ++j) {
            const Snowflake a = random_snowflake(random, layout), b = random_snowflake(random, layout);
            for (const UnixMicros t : times_around(layout.time_of(b.bits())))
                for (const Side side : kSides)
                    for (const Snowflake &id : {a, b}) ASSERT_NO_FATAL_FAILURE(check_snowflake(layout, side, t, id));
        }
    }
}

}  // namespace
}  // namespace snowid::core
