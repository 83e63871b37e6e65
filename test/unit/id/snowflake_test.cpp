#include "core/id/snowflake.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "layout/random_layout.hpp"
#include "random.hpp"

namespace snowid::core {
namespace {

using test::layout_of;
using test::up_to;

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min(), kMax = std::numeric_limits<std::int64_t>::max();

TEST(Snowflake, IsWrittenAsABigint) {
    std::mt19937_64 random = test::seeded_random();
    for (int round = 0; round < 10'000; ++round) {
        const auto value = static_cast<std::int64_t>(random() >> test::below(random, 64));
        const Snowflake id{round == 0 ? kMin : round == 1 ? kMax : value};
        char text[Snowflake::kTextSize];
        const std::string_view written(text, format(id, text));
        Snowflake read{};
        ASSERT_EQ(written, std::to_string(id.value));
        ASSERT_EQ(parse(written, read), Status::ok);
        ASSERT_EQ(read, id);
    }
}

TEST(Snowflake, ReadsABigintOnly) {
    Snowflake id{};
    for (const char *text : {"", "-", "+1", " 1", "1 ", "1_000", "0x10", "1e3", "1.0", "x"})
        EXPECT_EQ(parse(text, id), Status::bad_character) << text;
    for (const char *text : {"9223372036854775808", "-9223372036854775809", "99999999999999999999999"})
        EXPECT_EQ(parse(text, id), Status::out_of_range) << text;
}

// Every id below the bound has a time before t, and the bound's own time is not before t.
void check_bound(const Layout &layout, UnixMicros t) {
    Snowflake bound{};
    const Status status = lower_bound(layout, t, bound);
    ASSERT_EQ(status, t > layout.last_time() ? Status::out_of_range : Status::ok) << t.value;
    if (status != Status::ok) return;
    const std::uint64_t id = bound.bits();
    ASSERT_TRUE(layout.contains(id)) << t.value;
    ASSERT_GE(layout.time_of(id), t) << t.value;
    if (id > 0) {
        ASSERT_LT(layout.time_of(id - 1), t) << t.value;
    }
}

TEST(SnowflakeLowerBound, SeparatesIdsBeforeATimeFromLaterOnes) {
    std::mt19937_64 random = test::seeded_random();
    for (int round = 0; round < 10'000; ++round) {
        const test::RandomLayout made = test::random_layout(random);
        SCOPED_TRACE(made.text());
        const Layout layout = layout_of(made.text());
        const std::int64_t last = layout.last_time().value;
        for (const std::int64_t t : {kMin, layout.epoch.value - 1, layout.epoch.value, layout.epoch.value + 1, last - 1,
                                     last, last == kMax ? last : last + 1, kMax, static_cast<std::int64_t>(random())})
            ASSERT_NO_FATAL_FAILURE(check_bound(layout, {t}));
        for (int i = 0; i < 10; ++i) {
            const auto tick = static_cast<std::int64_t>(up_to(random, static_cast<std::uint64_t>(layout.last_tick())));
            const std::int64_t start = layout.time_of_tick(tick).value;
            const auto inside = static_cast<std::int64_t>(up_to(random, static_cast<std::uint64_t>(layout.tick_us)));
            ASSERT_NO_FATAL_FAILURE(check_bound(layout, {start - inside}));
            if (start <= kMax - inside) {
                ASSERT_NO_FATAL_FAILURE(check_bound(layout, {start + inside}));
            }
        }
    }
}

TEST(SnowflakeLowerBound, IsTheSmallestIdUpToTheEpoch) {
    const Layout layout = layout_of("discord");
    Snowflake bound{-1};
    EXPECT_EQ(lower_bound(layout, layout.epoch, bound), Status::ok);
    EXPECT_EQ(bound.value, 0);
    EXPECT_EQ(lower_bound(layout, {kMin}, bound), Status::ok);
    EXPECT_EQ(bound.value, 0);
    EXPECT_EQ(lower_bound(layout, layout.last_time(), bound), Status::ok);
    EXPECT_EQ(bound.bits(), 0xffff'ffff'ffc0'0000u);  // negative as a bigint
}

}  // namespace
}  // namespace snowid::core
