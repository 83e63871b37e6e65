#include "core/clock/policy.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace snowid::core {
namespace {

constexpr std::int64_t kFirstTick = std::numeric_limits<std::int64_t>::min(),
                       kLastTick = std::numeric_limits<std::int64_t>::max();

struct Span {
    std::int64_t from, to;
    Verdict verdict;
};

// Checks both ends of every row, and that the rows cover every value without a gap.
void check(const ClockPolicy &policy, const std::vector<Span> &rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (i > 0) {
            ASSERT_EQ(rows[i].from, rows[i - 1].to + 1);
        }
        EXPECT_EQ(static_cast<int>(policy.judge(rows[i].from)), static_cast<int>(rows[i].verdict)) << rows[i].from;
        EXPECT_EQ(static_cast<int>(policy.judge(rows[i].to)), static_cast<int>(rows[i].verdict)) << rows[i].to;
    }
    EXPECT_EQ(rows.front().from, kFirstTick);
    EXPECT_EQ(rows.back().to, kLastTick);
}

TEST(ClockPolicy, JudgesBothEndsOfEveryRow) {
    check({.wait_ticks = 5, .drift_ticks = 2000}, {{kFirstTick, 0, Verdict::make},
                                                   {1, 5, Verdict::wait},
                                                   {6, 2000, Verdict::make},
                                                   {2001, 2005, Verdict::wait},
                                                   {2006, 2006, Verdict::full},
                                                   {2007, kLastTick, Verdict::refuse}});
}

TEST(ClockPolicy, WaitsAtEveryDistanceWhenTheDriftIsNoLongerThanTheWait) {
    check({.wait_ticks = 5, .drift_ticks = 5}, {{kFirstTick, 0, Verdict::make},
                                                {1, 10, Verdict::wait},
                                                {11, 11, Verdict::full},
                                                {12, kLastTick, Verdict::refuse}});
    check({.wait_ticks = 5, .drift_ticks = 3}, {{kFirstTick, 0, Verdict::make},
                                                {1, 8, Verdict::wait},
                                                {9, 9, Verdict::full},
                                                {10, kLastTick, Verdict::refuse}});
    check({.wait_ticks = 5, .drift_ticks = 6}, {{kFirstTick, 0, Verdict::make},
                                                {1, 5, Verdict::wait},
                                                {6, 6, Verdict::make},
                                                {7, 11, Verdict::wait},
                                                {12, 12, Verdict::full},
                                                {13, kLastTick, Verdict::refuse}});
}

TEST(ClockPolicy, NeverIssuesAheadOfTheClockWithoutDrift) {
    check({.wait_ticks = 1, .drift_ticks = 0}, {{kFirstTick, 0, Verdict::make},
                                                {1, 1, Verdict::wait},
                                                {2, 2, Verdict::full},
                                                {3, kLastTick, Verdict::refuse}});
    check({.wait_ticks = 5, .drift_ticks = 0}, {{kFirstTick, 0, Verdict::make},
                                                {1, 5, Verdict::wait},
                                                {6, 6, Verdict::full},
                                                {7, kLastTick, Verdict::refuse}});
}

TEST(ClockPolicy, WaitsForTheClockWhenNearAndForTheDriftWhenFarAhead) {
    const ClockPolicy policy{.wait_ticks = 5, .drift_ticks = 2000};
    EXPECT_EQ(policy.allowed_ahead(1), 0);
    EXPECT_EQ(policy.allowed_ahead(5), 0);
    EXPECT_EQ(policy.allowed_ahead(2001), 2000);
    EXPECT_EQ(policy.allowed_ahead(2005), 2000);
    EXPECT_EQ((ClockPolicy{.wait_ticks = 5, .drift_ticks = 0}.allowed_ahead(3)), 0);
    for (std::int64_t ahead = 1; ahead <= 2005; ++ahead)
        if (policy.judge(ahead) == Verdict::wait) {
            EXPECT_LE(ahead - policy.allowed_ahead(ahead), 5) << "a caller waits longer than wait_ticks";
        }
}

TEST(ClockPolicy, ABatchWaitsUnlessTheNextTickIsNearOrGone) {
    const ClockPolicy policy{.wait_ticks = 5, .drift_ticks = 2000};
    for (const std::int64_t ahead : {0, 6, 2000, 3000}) EXPECT_TRUE(policy.batch_waits(ahead)) << ahead;
    for (const std::int64_t ahead : {-7, -1, 1, 5}) EXPECT_FALSE(policy.batch_waits(ahead)) << ahead;
}

TEST(ClockPolicy, CountsInTicksAndWaitsAtLeastOneTick) {
    constexpr std::int64_t kMs = millis(1);
    const auto of = [](std::int64_t wait_ns, std::int64_t drift_ns, std::int64_t tick_ns) {
        return ClockPolicy::of(wait_ns, drift_ns, tick_ns, 1, 4096);
    };
    EXPECT_EQ(of(5 * kMs, 2000 * kMs, kMs).wait_ticks, 5);
    EXPECT_EQ(of(5 * kMs, 2000 * kMs, kMs).drift_ticks, 2000);
    EXPECT_EQ(of(5 * kMs, 2000 * kMs, 10 * kMs).wait_ticks, 1);
    EXPECT_EQ(of(5 * kMs, 2000 * kMs, 10 * kMs).drift_ticks, 200);
    EXPECT_EQ(of(5 * kMs, 2000 * kMs, 4000 * kMs).drift_ticks, 0);
    EXPECT_EQ(of(0, 0, kMs).wait_ticks, 1);
    EXPECT_EQ(of(0, 0, kMs).drift_ticks, 0);
    EXPECT_EQ(of(5 * kMs, 2000 * kMs, 1000).wait_ticks, 5000);
}

TEST(ClockPolicy, LetsEveryCallerHoldAPosition) {
    const auto wait = [](std::uint64_t callers, std::uint64_t capacity) {
        return ClockPolicy::of(0, 0, 1'000'000, callers, capacity).wait_ticks;
    };
    EXPECT_EQ(wait(1, 1), 1);
    EXPECT_EQ(wait(100, 1), 100);
    EXPECT_EQ(wait(100, 2), 50);
    EXPECT_EQ(wait(101, 2), 51);
    EXPECT_EQ(wait(100, 128), 1);
    EXPECT_EQ(wait(129, 128), 2);
    EXPECT_EQ(wait(0, 128), 1);
}

}  // namespace
}  // namespace snowid::core
