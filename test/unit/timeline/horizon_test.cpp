#include "core/timeline/horizon.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "core/timeline/timeline.hpp"
#include "layout/random_layout.hpp"
#include "random.hpp"

namespace snowid::core {
namespace {

using test::layout_of;

constexpr std::int64_t kLatest = std::numeric_limits<std::int64_t>::max() / 2;  // nanoseconds: the year 2116

// An instant in the layout's time. Many are at or near the beginning of a tick.
UnixNanos random_instant(std::mt19937_64 &random, const Ticks &ticks, const Layout &layout) {
    const std::int64_t epoch = to_nanos(layout.epoch).value;
    const auto length = static_cast<std::uint64_t>(kLatest - epoch);
    const auto instant = static_cast<std::int64_t>(test::below(random, length)) + epoch;
    if (test::below(random, 2) == 0) return {instant};
    const std::int64_t begin = ticks.start(ticks.at({instant})).value;
    return {std::max(begin + static_cast<std::int64_t>(test::below(random, 3)) - 1, epoch)};
}

TEST(Horizon, PositionsAfterAStartAreAboveAllPositionsUnderTheHorizon) {
    std::mt19937_64 random = test::seeded_random();
    for (int round = 0; round < 20'000; ++round) {
        const std::string text = test::random_layout(random).text();
        SCOPED_TRACE(text);
        const Layout layout = layout_of(text);
        const Ticks ticks(layout);
        const UnixNanos horizon = random_instant(random, ticks, layout);
        const std::uint64_t limit = limit_of(ticks, horizon), next = start_after(ticks, horizon) + 1;
        ASSERT_LE(limit, ticks.end());
        ASSERT_GE(next, std::max<std::uint64_t>(limit, 1)) << horizon.value;
        if (limit < ticks.end() && limit > 0) {
            ASSERT_EQ(limit, ticks.first(ticks.tick_of(limit))) << "a limit is at the start of a tick";
            ASSERT_LE(ticks.start(ticks.tick_of(limit)), horizon);
        }
        // An earlier horizon never gives a higher limit.
        const UnixNanos other = random_instant(random, ticks, layout);
        ASSERT_LE(limit_of(ticks, std::min(other, horizon)), limit_of(ticks, std::max(other, horizon)));
        ASSERT_LE(start_after(ticks, std::min(other, horizon)), start_after(ticks, std::max(other, horizon)));
    }
}

TEST(Horizon, IsValidForAnotherLayout) {
    std::mt19937_64 random = test::seeded_random();
    for (int round = 0; round < 20'000; ++round) {
        const Layout before = layout_of(test::random_layout(random).text()),
                     after = layout_of(test::random_layout(random).text());
        const Ticks old_ticks(before), new_ticks(after);
        const UnixNanos horizon = random_instant(random, old_ticks, before);
        const std::uint64_t limit = limit_of(old_ticks, horizon);
        const std::uint64_t next = start_after(new_ticks, horizon) + 1;
        if (limit == 0 || limit == old_ticks.end() || next <= 1 || next >= new_ticks.end()) continue;
        // Every tick with ids under the horizon ends before the first tick of the new layout begins.
        ASSERT_GE(new_ticks.start(new_ticks.tick_of(next)), old_ticks.start(old_ticks.tick_of(limit - 1) + 1));
    }
}

// Callers may hold positions as far ahead as the policy lets them when the server crashes. If the clock is right, ids
// go on at once.
TEST(Horizon, AStartGoesOnAtOnceAboveTheFurthestPosition) {
    std::mt19937_64 random = test::seeded_random();
    int tried = 0;
    for (int round = 0; round < 20'000; ++round) {
        const std::string text = test::random_layout(random).text();
        SCOPED_TRACE(text);
        const Layout layout = layout_of(text);
        const Ticks ticks(layout);
        const UnixNanos now = random_instant(random, ticks, layout);
        const auto wait = static_cast<std::int64_t>(test::below(random, 1'000'000'000));
        const auto drift = static_cast<std::int64_t>(test::below(random, 60'000'000'000));
        const auto reserve = static_cast<std::int64_t>(test::below(random, static_cast<std::uint64_t>(drift) + 1));
        const ClockPolicy policy = ClockPolicy::of(wait, drift, ticks.tick_ns(), 100, ticks.capacity());
        const std::int64_t lead = start_lead_ns(ticks, policy, reserve);
        const std::int64_t furthest = ticks.at(now) + policy.drift_ticks + policy.ticks_past_drift();
        const std::uint64_t position = ticks.first(furthest);
        if (lead > policy.drift_ticks * ticks.tick_ns() || position >= ticks.end()) continue;
        ASSERT_EQ(static_cast<int>(policy.judge(furthest - ticks.at(now))), static_cast<int>(Verdict::wait));
        ASSERT_EQ(static_cast<int>(policy.judge(furthest + 1 - ticks.at(now))), static_cast<int>(Verdict::full));
        const UnixNanos start = horizon_goal(now, ticks.end_of(position), horizon_margin_ns(ticks), reserve).target;
        const std::int64_t allowance = start_allowance_ns(lead, start.value - now.value) / ticks.tick_ns();
        const std::int64_t next = ticks.tick_of(start_after(ticks, start) + 1);
        ASSERT_LE(next - ticks.at(now), policy.drift_ticks + allowance);
        ++tried;
    }
    EXPECT_GT(tried, 1000);
}

TEST(Horizon, JoinsOthersBeforeItIsDueAndAfterItWasAdvanced) {
    for (const std::int64_t reserve : {millis(10), millis(1000), millis(60'000)}) {
        EXPECT_LT(due_ns(reserve), nearly_due_ns(reserve));
        EXPECT_LT(nearly_due_ns(reserve), reserve);
    }
}

TEST(Horizon, GoalCoversThePositionAndIsBounded) {
    std::mt19937_64 random = test::seeded_random();
    for (int round = 0; round < 20'000; ++round) {
        const std::string text = test::random_layout(random).text();
        SCOPED_TRACE(text);
        const Layout layout = layout_of(text);
        const Ticks ticks(layout);
        const UnixNanos now = random_instant(random, ticks, layout);
        const UnixNanos at = random_instant(random, ticks, layout);
        const std::uint64_t position = ticks.first(ticks.at(at)) + test::below(random, ticks.capacity());
        if (position >= ticks.end()) continue;
        const auto reserve = static_cast<std::int64_t>(test::below(random, 60'000'000'000));
        const HorizonGoal goal = horizon_goal(now, ticks.end_of(position), horizon_margin_ns(ticks), reserve);
        ASSERT_GE(goal.target, goal.enough);
        ASSERT_GE(goal.enough, ticks.end_of(position)) << "the goal is before the end of the position's tick";
        ASSERT_GT(limit_of(ticks, goal.enough), position);
        ASSERT_GE(goal.target.value, now.value + reserve);
        // The reserve is not added to a position ahead of the clock, because a series of crashes would carry the ids
        // away.
        const std::int64_t after = ticks.end_of(position).value;
        ASSERT_LE(goal.target.value,
                  std::max(now.value + reserve, after + std::max<std::int64_t>(5'000'000, ticks.tick_ns())));
    }
}

TEST(Horizon, ASeriesOfCrashesDoesNotCarryIdsAway) {
    const Ticks ticks(layout_of("default"));
    constexpr std::int64_t kReserveNs = kNanosPerSecond, kBegin = 1'767'225'600'000'000'000;
    std::uint64_t position = ticks.first(ticks.at({kBegin}));
    std::int64_t now = kBegin;
    for (int crash = 0; crash < 1000; ++crash) {
        now += 300'000'000;
        const std::uint64_t next = std::max(position + 1, ticks.first(ticks.at({now})));
        position =
            start_after(ticks, horizon_goal({now}, ticks.end_of(next), horizon_margin_ns(ticks), kReserveNs).target);
    }
    EXPECT_LE(ticks.start(ticks.tick_of(position)).value - now, kReserveNs + 10'000'000);
}

constexpr std::int64_t kHour = 3600 * kNanosPerSecond, kBase = kNanosPerSecond;

// A backfill generator, as far as the server goes. Its row is durable at once.
class Given {
public:
    Given(const Ticks &ticks, UnixNanos begin) : ticks_(ticks), horizon_(begin) { crash(); }

    UnixNanos time_of_next(UnixNanos given, std::int64_t until_end_ns = INT64_MAX) {
        for (;;) {
            const Decision d = timeline_.take(ticks_, ClockPolicy::none(), timeline_.last(), given, limit_);
            if (d.verdict == Verdict::make) ++issued_;
            if (d.verdict == Verdict::make) return ticks_.start(ticks_.tick_of(d.position));
            reserve_ns_ = given_reserve_ns(reserve_ns_, issued_, kBase, until_end_ns);
            issued_ = 0;
            const HorizonGoal goal =
                horizon_goal(given, ticks_.end_of(d.position), horizon_margin_ns(ticks_), reserve_ns_);
            if (horizon_ < goal.enough) horizon_ = goal.target;
            limit_ = limit_of(ticks_, horizon_);
            ++advances;
        }
    }
    void crash() {
        reserve_ns_ = issued_ = 0;
        limit_ = 0;
        timeline_.rewind_to(start_after(ticks_, horizon_));
    }
    std::uint64_t last() const { return timeline_.last(); }

    int advances = 0;

private:
    const Ticks ticks_;
    UnixNanos horizon_;
    Timeline timeline_;
    std::uint64_t limit_ = 0;
    std::int64_t reserve_ns_ = 0, issued_ = 0;
};

constexpr UnixNanos kGivenBegin{1'767'225'600'000'000'000};

// How often the horizon is advanced for so many times that are this far apart.
int advances_for(int times, std::int64_t apart_ns) {
    Given generator(Ticks(layout_of("default")), kGivenBegin);
    for (int i = 1; i <= times; ++i) generator.time_of_next({kGivenBegin.value + i * apart_ns});
    return generator.advances;
}

TEST(Horizon, TimesThatAreFarApartNeedFewAdvances) {
    constexpr int kTimes = 100'000, kDoublings = 12;
    for (const int seconds : {1, 10, 30, 60, 600}) {
        const std::int64_t ids = std::min(500, 3600 / seconds);
        EXPECT_LE(advances_for(kTimes, seconds * kNanosPerSecond), kTimes / ids + kDoublings) << seconds;
    }
}

TEST(Horizon, TimesThatAreCloseReserveNoMoreThanCurrentOnes) {
    EXPECT_EQ(given_reserve_ns(kBase, 1000, kBase, INT64_MAX), kBase);
    EXPECT_EQ(given_reserve_ns(kHour, 1'000'000, kBase, INT64_MAX), kHour / 1000);
    EXPECT_GE(advances_for(100'000, kNanosPerSecond / 1000), 99);
}

TEST(Horizon, WhatIsReservedBeyondGivenTimesDoesNotPassTheClock) {
    EXPECT_EQ(given_reserve_ns(kHour, 1, kBase, 5 * kNanosPerSecond), 5 * kNanosPerSecond);
    EXPECT_EQ(given_reserve_ns(kHour, 1, kBase, -kHour), kBase);
    EXPECT_EQ(given_reserve_ns(kHour, 1, kBase, INT64_MAX), kHour);
}

// A crash moves a time up, to what was reserved. A series of them moves it no further.
TEST(Horizon, GivenTimesMoveUpByAnHourAtMostAfterCrashes) {
    std::mt19937_64 random = test::seeded_random();
    Given generator(Ticks(layout_of("default")), kGivenBegin);
    std::int64_t given = kGivenBegin.value, moved = 0;
    std::uint64_t last = 0;
    for (int i = 0; i < 200'000; ++i) {
        if (test::below(random, 3) != 0) given += static_cast<std::int64_t>(test::below(random, 120'000'000'000));
        const std::int64_t time = generator.time_of_next({given}).value;
        ASSERT_GT(generator.last(), last);
        ASSERT_GE(time, given - millis(1));
        ASSERT_LE(time, given + kHour + millis(100));
        last = generator.last();
        moved += time > given;
        if (test::below(random, 50) == 0) generator.crash();
    }
    EXPECT_GT(moved, 1000);
}

}  // namespace
}  // namespace snowid::core
