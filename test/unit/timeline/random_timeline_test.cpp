#include "core/timeline/random_timeline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "hand_clock.hpp"
#include "threads.hpp"
#include "vectors.hpp"

namespace snowid::core {
namespace {

constexpr std::int64_t kRandomDrift = Uuid7Ticks::in_ns(2 * kNanosPerSecond);

class RandomTimelineTest : public testing::Test {
protected:
    RandomDecision take() { return timeline_.take(clock_, kRandomDrift); }
    RandomDecision take_run(std::uint64_t want) { return timeline_.take_run(clock_, kRandomDrift, want); }
    std::uint64_t now() const { return static_cast<std::uint64_t>(Uuid7Ticks::at(clock_())); }

    // Moves the timeline this far ahead of the clock.
    void run_ahead(std::int64_t ns) {
        clock_.step(ns);
        take();
        clock_.step(-ns);
    }

    RandomTimeline timeline_;
    test::HandClock clock_;
};

TEST_F(RandomTimelineTest, FollowsAClockThatMovesOn) {
    for (int i = 0; i < 100; ++i) {
        const RandomDecision decision = take();
        EXPECT_EQ(decision.verdict, Verdict::make);
        EXPECT_EQ(decision.run.first, now());
        EXPECT_EQ(decision.run.count, 1U);
        EXPECT_EQ(decision.ahead, 0);
        clock_.step(1000);
    }
}

TEST_F(RandomTimelineTest, IssuesWithoutAWaitWhileTheClockStandsStill) {
    for (std::uint64_t i = 0; i < 1000; ++i) {
        const RandomDecision decision = take();
        EXPECT_EQ(decision.verdict, Verdict::make);
        EXPECT_EQ(decision.run.first, now() + i);
        EXPECT_EQ(decision.ahead, static_cast<std::int64_t>(i));
    }
}

TEST_F(RandomTimelineTest, AscendsThroughAStepBackWithinTheDrift) {
    const std::uint64_t last = take().run.first;
    clock_.step(-kNanosPerSecond);
    const RandomDecision decision = take();
    EXPECT_EQ(decision.verdict, Verdict::make);
    EXPECT_EQ(decision.run.first, last + 1);
    EXPECT_FALSE(decision.followed_back);
}

TEST_F(RandomTimelineTest, TakeNowTakesOnlyWhatCanBeIssuedAtOnce) {
    EXPECT_EQ(timeline_.take_now(clock_(), kRandomDrift), now());
    EXPECT_EQ(timeline_.take_now(clock_(), kRandomDrift), now() + 1);
    std::uint64_t last = timeline_.last();
    clock_.step(-kNanosPerSecond);
    EXPECT_EQ(timeline_.take_now(clock_(), kRandomDrift), ++last);
    clock_.step(-2 * kNanosPerSecond);
    EXPECT_EQ(timeline_.take_now(clock_(), kRandomDrift), 0U);
    EXPECT_EQ(timeline_.take_now({-1}, kRandomDrift), 0U);
    EXPECT_EQ(timeline_.last(), last);
}

TEST_F(RandomTimelineTest, TakeNowTakesUpToTheDrift) {
    run_ahead(2 * kNanosPerSecond - millis(1));
    for (std::int64_t ahead = take().ahead + 1; ahead <= kRandomDrift; ++ahead)
        ASSERT_NE(timeline_.take_now(clock_(), kRandomDrift), 0U) << ahead;
    EXPECT_EQ(timeline_.take_now(clock_(), kRandomDrift), 0U);
    EXPECT_EQ(take().verdict, Verdict::wait);
}

TEST_F(RandomTimelineTest, HoldsAPositionWhileItWaitsAtTheCeiling) {
    run_ahead(2 * kNanosPerSecond);
    for (std::int64_t i = 1; i <= 1000; ++i) {
        const RandomDecision decision = take();
        EXPECT_EQ(decision.verdict, Verdict::wait);
        EXPECT_EQ(decision.run.count, 1U);
        EXPECT_EQ(decision.ahead, kRandomDrift + i);
        EXPECT_EQ(timeline_.last(), decision.run.first);
        EXPECT_EQ(Uuid7Ticks::in_ns(decision.wait_ns), i);
        EXPECT_LT(Uuid7Ticks::in_ns(decision.wait_ns - 1), i);
    }
}

TEST_F(RandomTimelineTest, IssuesAgainWhenTheClockHasCaughtUp) {
    run_ahead(2 * kNanosPerSecond);
    clock_.step(take().wait_ns + 1000);
    EXPECT_EQ(take().verdict, Verdict::make);
}

TEST_F(RandomTimelineTest, DoesNotTakeAQueueOfCallersForAStepBack) {
    run_ahead(2 * kNanosPerSecond);
    for (std::int64_t i = 1; i <= RandomTimeline::kQueueTicks; ++i) ASSERT_FALSE(take().followed_back) << i;
}

TEST_F(RandomTimelineTest, FollowsALargerStepBackAndReportsItOnce) {
    take();
    clock_.step(-3600 * kNanosPerSecond);
    const RandomDecision decision = take();
    EXPECT_EQ(decision.verdict, Verdict::make);
    EXPECT_TRUE(decision.followed_back);
    EXPECT_EQ(decision.run.first, now() + 1);
    EXPECT_FALSE(take().followed_back);
}

TEST_F(RandomTimelineTest, ABatchFollowsALargerStepBack) {
    take();
    clock_.step(-3600 * kNanosPerSecond);
    const RandomDecision decision = take_run(10);
    EXPECT_TRUE(decision.followed_back);
    EXPECT_EQ(decision.run.count, 10U);
}

// This caller read the clock and then slept. Meanwhile others moved the timeline on.
TEST_F(RandomTimelineTest, DoesNotGoBackForAStaleReading) {
    const std::uint64_t last = take().run.first;
    const test::SleepyClock slept{clock_, {test::HandClock::kStart - 3600 * kNanosPerSecond}};
    const RandomDecision decision = timeline_.take(slept, kRandomDrift);
    EXPECT_FALSE(decision.followed_back);
    EXPECT_EQ(decision.verdict, Verdict::make);
    EXPECT_EQ(decision.run.first, last + 1);
}

// The same after a step back. Meanwhile another caller followed the clock back and went on.
TEST_F(RandomTimelineTest, DoesNotGoBackIfThePositionHasMoved) {
    take();
    const std::int64_t old_ns = clock_().value - 3600 * kNanosPerSecond;
    int readings = 0;
    const auto slept = [&]() -> UnixNanos {
        if (readings++ == 1) run_ahead(kNanosPerSecond);  // after the caller has read the position, before it moves it
        return readings <= 2 ? UnixNanos{old_ns} : clock_();
    };
    const RandomDecision decision = timeline_.take(slept, kRandomDrift);
    EXPECT_FALSE(decision.followed_back);
    EXPECT_GT(decision.run.first, now());
}

TEST_F(RandomTimelineTest, ABatchTakesConsecutivePositions) {
    const RandomDecision decision = take_run(10);
    EXPECT_EQ(decision.verdict, Verdict::make);
    EXPECT_EQ(decision.run.first, now());
    EXPECT_EQ(decision.run.count, 10U);
    EXPECT_EQ(take().run.first, now() + 10);
}

TEST_F(RandomTimelineTest, ABatchTakesNoMoreThanTheLargestRun) {
    EXPECT_EQ(take_run(100'000'000).run.count, RandomTimeline::kLargestRun);
}

TEST_F(RandomTimelineTest, ABatchLeavesMostOfTheDriftToOthers) {
    RandomDecision decision = take_run(64);
    while (decision.verdict == Verdict::make) decision = take_run(64);
    EXPECT_EQ(decision.verdict, Verdict::wait);
    EXPECT_EQ(decision.run.count, 0U);
    EXPECT_EQ(timeline_.last(), now() + kRandomDrift / 16);
    EXPECT_EQ(take().verdict, Verdict::make);
    clock_.step(take_run(64).wait_ns);
    EXPECT_EQ(take_run(64).verdict, Verdict::make);
}

TEST_F(RandomTimelineTest, WaitsForEveryPositionWithoutDrift) {
    EXPECT_EQ(timeline_.take(clock_, 0).verdict, Verdict::make);
    const RandomDecision decision = timeline_.take(clock_, 0);
    EXPECT_EQ(decision.verdict, Verdict::wait);
    EXPECT_EQ(decision.wait_ns, 245);
    EXPECT_EQ(timeline_.take_run(clock_, 0, 10).run.count, 0U);
}

TEST_F(RandomTimelineTest, ReadsAClockBefore1970As1970) {
    clock_.ns = -kNanosPerSecond;
    EXPECT_EQ(take().run.first, 1U);
    EXPECT_EQ(take().run.first, 2U);
}

// On a clock that stands still, PostgreSQL 18 advances by 245 ns. That is a little more than a tick, so it is never
// behind.
TEST_F(RandomTimelineTest, IsNeverFurtherAheadThanPostgres18) {
    std::map<std::string, RandomTimeline> traces;
    for (const test::Row &row : test::read_vectors("uuidv7_pg18_ascending.tsv")) {
        clock_.ns = std::stoll(row.at("clock_ns"));
        const std::uint64_t position =
            traces[row.at("trace")].take(clock_, Uuid7Ticks::in_ns(100 * kNanosPerSecond)).run.first;
        EXPECT_GE(position, now());
        EXPECT_LE(position, static_cast<std::uint64_t>(Uuid7Ticks::at({std::stoll(row.at("issued_ns"))})));
    }
}

TEST_F(RandomTimelineTest, GivesEveryPositionToOneThreadAndAscendsInEach) {
    constexpr int kThreads = 4, kEach = 200'000;
    std::vector<std::uint64_t> taken[kThreads];
    test::in_threads(kThreads, [&](int thread) {
        for (int i = 0; i < kEach; ++i) {
            const core::Run run = i % 8 == 0 ? take_run(5).run : take().run;
            for (std::uint64_t k = 0; k < run.count; ++k) taken[thread].push_back(run.first + k);
            if (i % 1024 == 0) clock_.step(i % 2048 == 0 ? 500'000 : -300'000);
        }
    });
    std::vector<std::uint64_t> all;
    for (const auto &mine : taken) {
        EXPECT_TRUE(std::is_sorted(mine.begin(), mine.end()));
        all.insert(all.end(), mine.begin(), mine.end());
    }
    std::sort(all.begin(), all.end());
    EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
}

TEST_F(RandomTimelineTest, OnlyOneThreadFollowsAStepBack) {
    constexpr int kThreads = 4, kEach = 2000;
    take();
    clock_.step(-3600 * kNanosPerSecond);
    std::atomic<int> followed{0};
    test::in_threads(kThreads, [&](int) {
        for (int i = 0; i < kEach; ++i) followed += take().followed_back;
    });
    EXPECT_EQ(followed, 1);
    EXPECT_EQ(timeline_.last(), now() + kThreads * kEach);
}

}  // namespace
}  // namespace snowid::core
