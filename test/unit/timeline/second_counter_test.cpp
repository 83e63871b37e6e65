#include "core/timeline/second_counter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <vector>

#include "hand_clock.hpp"
#include "threads.hpp"

namespace snowid::core {
namespace {

constexpr std::int64_t kSecond = kNanosPerSecond;
constexpr std::int64_t kDrift = 2 * kSecond;

using Taken = std::tuple<int, std::int64_t, std::int64_t>;  // incarnation, time and counter

class SecondCounterTest : public testing::Test {
protected:
    Count take() { return counter_.take(clock_, kDrift); }
    UnixMicros now() const { return {clock_().value / kSecond * kMicrosPerSecond}; }

    Count take_all_of_a_second() {
        Count count = take();
        while (count.verdict == Verdict::issue && count.counter < 0xFFFFFF) count = take();
        return count;
    }

    SecondCounter counter_;
    test::HandClock clock_;
};

TEST_F(SecondCounterTest, StartsAgainEverySecond) {
    for (int second = 0; second < 3; ++second) {
        for (int i = 0; i < 10; ++i) {
            const Count count = take();
            EXPECT_EQ(count.verdict, Verdict::issue);
            EXPECT_EQ(count.time, now());
            EXPECT_EQ(count.counter, i);
            EXPECT_EQ(count.incarnation, 0);
        }
        clock_.step(kSecond);
    }
}

TEST_F(SecondCounterTest, WaitsForTheNextSecondInsteadOfWrapping) {
    clock_.step(300'000'000);
    EXPECT_EQ(take_all_of_a_second().counter, 0xFFFFFF);
    const Count count = take();
    EXPECT_EQ(count.verdict, Verdict::wait);
    EXPECT_EQ(count.wait_ns, 700'000'000);
    clock_.step(count.wait_ns - 1);
    EXPECT_EQ(take().verdict, Verdict::wait);
    clock_.step(1);
    EXPECT_EQ(take().verdict, Verdict::issue);
    EXPECT_EQ(take().counter, 1);
}

TEST_F(SecondCounterTest, KeepsItsSecondDuringAStepBackWithinTheDrift) {
    const UnixMicros time = take().time;
    for (int i = 1; i <= 4; ++i) {
        clock_.step(-kSecond / 2);
        const Count count = take();
        EXPECT_EQ(count.verdict, Verdict::issue);
        EXPECT_EQ(count.time, time);
        EXPECT_EQ(count.counter, i);
        EXPECT_FALSE(count.followed_back);
    }
}

TEST_F(SecondCounterTest, WaitsForTheNextSecondAfterAStepBack) {
    take_all_of_a_second();
    clock_.step(-kSecond);
    EXPECT_EQ(take().verdict, Verdict::wait);
    EXPECT_EQ(take().wait_ns, 2 * kSecond);
}

TEST_F(SecondCounterTest, FollowsALargerStepBackInANewIncarnation) {
    take();
    clock_.step(-kDrift - 1);
    const Count count = take();
    EXPECT_EQ(count.verdict, Verdict::issue);
    EXPECT_TRUE(count.followed_back);
    EXPECT_EQ(count.time, now());
    EXPECT_EQ(count.incarnation, 1);
    EXPECT_FALSE(take().followed_back);
    EXPECT_EQ(take().incarnation, 1);
}

TEST_F(SecondCounterTest, NeverRepeatsACountWhenSecondsRepeat) {
    std::set<Taken> seen;
    for (int round = 0; round < 20; ++round) {
        for (int i = 0; i < 50; ++i) {
            const Count count = take();
            EXPECT_TRUE(seen.emplace(count.incarnation, count.time.value, count.counter).second);
            clock_.step(kSecond / 10);
        }
        clock_.step(-10 * kSecond);
    }
}

TEST_F(SecondCounterTest, DoesNotGoBackForAStaleReading) {
    const Count last = take();
    const test::SleepyClock slept{clock_, {test::HandClock::kStart - 3600 * kSecond}};
    const Count count = counter_.take(slept, kDrift);
    EXPECT_FALSE(count.followed_back);
    EXPECT_EQ(count.time, last.time);
    EXPECT_EQ(count.counter, last.counter + 1);
}

TEST_F(SecondCounterTest, StopsOutsideTheTimeOfTheFormat) {
    clock_.ns = -1;
    EXPECT_EQ(take().verdict, Verdict::at_limit);
    clock_.ns = (1LL << 32) * kSecond;
    EXPECT_EQ(take().verdict, Verdict::at_limit);
    clock_.ns = (1LL << 32) * kSecond - 1;
    EXPECT_EQ(take().verdict, Verdict::issue);
    EXPECT_EQ(take().time.value, ((1LL << 32) - 1) * kMicrosPerSecond);
}

// The threads do nothing but count, so they compete often.
TEST_F(SecondCounterTest, LosesNoCountBetweenThreads) {
    constexpr int kThreads = 4, kEach = 1'000'000;
    test::in_threads(kThreads, [&](int) {
        for (int i = 0; i < kEach; ++i) take();
    });
    EXPECT_EQ(take().counter, kThreads * kEach);
}

TEST_F(SecondCounterTest, GivesEveryCountToOneThread) {
    constexpr int kThreads = 4, kEach = 200'000;
    std::vector<Taken> taken[kThreads];
    test::in_threads(kThreads, [&](int thread) {
        taken[thread].reserve(kEach);
        for (int i = 0; i < kEach; ++i) {
            const Count count = take();
            taken[thread].emplace_back(count.incarnation, count.time.value, count.counter);
            if (i % 1024 == 0) clock_.step(i % 16384 == 0 ? -3 * kSecond : kSecond / 7);
        }
    });
    std::vector<Taken> all;
    for (const auto &mine : taken) all.insert(all.end(), mine.begin(), mine.end());
    std::sort(all.begin(), all.end());
    EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
}

}  // namespace
}  // namespace snowid::core
