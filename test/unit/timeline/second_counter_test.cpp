#include "core/timeline/second_counter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <tuple>
#include <vector>

#include "hand_clock.hpp"
#include "random.hpp"
#include "threads.hpp"

namespace snowid::core {
namespace {

constexpr std::int64_t kCounterDrift = 2 * kNanosPerSecond;

using Taken = std::tuple<std::uint64_t, std::int64_t, std::int64_t>;  // incarnation, time and counter

class SecondCounterTest : public testing::Test {
protected:
    Count take() { return counter_.take(clock_, kCounterDrift); }
    UnixMicros now() const { return {clock_().value / kNanosPerSecond * kMicrosPerSecond}; }

    Count take_all_of_a_second() {
        Count count = take();
        while (count.verdict == Verdict::make && count.counter < 0xFFFFFF) count = take();
        return count;
    }

    SecondCounter counter_;
    test::HandClock clock_;
};

TEST_F(SecondCounterTest, StartsAgainEverySecond) {
    for (int second = 0; second < 3; ++second) {
        for (int i = 0; i < 10; ++i) {
            const Count count = take();
            EXPECT_EQ(count.verdict, Verdict::make);
            EXPECT_EQ(count.time, now());
            EXPECT_EQ(count.counter, i);
            EXPECT_EQ(count.incarnation, 0u);
        }
        clock_.step(kNanosPerSecond);
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
    EXPECT_EQ(take().verdict, Verdict::make);
    EXPECT_EQ(take().counter, 1);
}

TEST_F(SecondCounterTest, KeepsItsSecondDuringAStepBackWithinTheDrift) {
    const UnixMicros time = take().time;
    for (int i = 1; i <= 4; ++i) {
        clock_.step(-kNanosPerSecond / 2);
        const Count count = take();
        EXPECT_EQ(count.verdict, Verdict::make);
        EXPECT_EQ(count.time, time);
        EXPECT_EQ(count.counter, i);
        EXPECT_EQ(count.incarnation, 0u);
    }
}

TEST_F(SecondCounterTest, WaitsForTheNextSecondAfterAStepBack) {
    take_all_of_a_second();
    clock_.step(-kNanosPerSecond);
    EXPECT_EQ(take().verdict, Verdict::wait);
    EXPECT_EQ(take().wait_ns, 2 * kNanosPerSecond);
}

TEST_F(SecondCounterTest, FollowsALargerStepBackInANewIncarnation) {
    take();
    clock_.step(-kCounterDrift - 1);
    const Count count = take();
    EXPECT_EQ(count.verdict, Verdict::make);
    EXPECT_EQ(count.time, now());
    EXPECT_EQ(count.incarnation, 1u);
    EXPECT_EQ(take().incarnation, 1u);
}

TEST_F(SecondCounterTest, NeverRepeatsACountWhenSecondsRepeat) {
    std::set<Taken> seen;
    for (int round = 0; round < 20; ++round) {
        for (int i = 0; i < 50; ++i) {
            const Count count = take();
            EXPECT_TRUE(seen.emplace(count.incarnation, count.time.value, count.counter).second);
            clock_.step(kNanosPerSecond / 10);
        }
        clock_.step(-10 * kNanosPerSecond);
    }
}

TEST_F(SecondCounterTest, NeverRepeatsACountHoweverOftenTheSameSecondComes) {
    std::set<Taken> seen;
    for (int step = 0; step < 100'000; ++step) {
        clock_.step(4 * kNanosPerSecond);
        take();
        clock_.step(-4 * kNanosPerSecond);
        const Count count = take();
        EXPECT_EQ(count.time, now());
        EXPECT_TRUE(seen.emplace(count.incarnation, count.time.value, count.counter).second) << "after step " << step;
    }
}

TEST_F(SecondCounterTest, DoesNotGoBackForAStaleReading) {
    const Count last = take();
    const test::SleepyClock slept{clock_, {test::HandClock::kStart - 3600 * kNanosPerSecond}};
    const Count count = counter_.take(slept, kCounterDrift);
    EXPECT_EQ(count.incarnation, 0u);
    EXPECT_EQ(count.time, last.time);
    EXPECT_EQ(count.counter, last.counter + 1);
}

TEST_F(SecondCounterTest, StopsOutsideTheTimeOfTheFormat) {
    clock_.ns = -1;
    EXPECT_EQ(take().verdict, Verdict::at_limit);
    clock_.ns = (1LL << 32) * kNanosPerSecond;
    EXPECT_EQ(take().verdict, Verdict::at_limit);
    clock_.ns = (1LL << 32) * kNanosPerSecond - 1;
    EXPECT_EQ(take().verdict, Verdict::make);
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

// Returns what four threads take, sorted. Each thread moves the clock after each take.
template <typename MoveClock>
std::vector<Taken> taken_by_threads(SecondCounter &counter, test::HandClock &clock, int each, MoveClock move_clock) {
    constexpr int kThreads = 4;
    std::vector<Taken> taken[kThreads];
    test::in_threads(kThreads, [&](int thread) {
        taken[thread].reserve(static_cast<std::size_t>(each));
        for (int i = 0; i < each; ++i) {
            Count count = counter.take(clock, kCounterDrift);
            while (count.verdict == Verdict::wait) count = counter.take(clock, kCounterDrift);
            taken[thread].emplace_back(count.incarnation, count.time.value, count.counter);
            move_clock(i);
        }
    });
    std::vector<Taken> all;
    for (const auto &mine : taken) all.insert(all.end(), mine.begin(), mine.end());
    std::sort(all.begin(), all.end());
    return all;
}

TEST_F(SecondCounterTest, GivesEveryCountToOneThread) {
    const std::vector<Taken> all = taken_by_threads(counter_, clock_, 200'000, [&](int i) {
        if (i % 1024 == 0) clock_.step(i % 16384 == 0 ? -3 * kNanosPerSecond : kNanosPerSecond / 7);
    });
    EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
}

// The clock swings between two seconds. While one thread sleeps, the others follow the clock back thousands of times.
TEST_F(SecondCounterTest, GivesEveryCountToOneThreadHoweverOftenTheClockStepsBack) {
    const std::vector<Taken> all = taken_by_threads(counter_, clock_, 300'000, [&](int i) {
        clock_.step(i % 2 == 0 ? 4 * kNanosPerSecond : -4 * kNanosPerSecond);
    });
    EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
    EXPECT_GT(std::get<0>(all.back()), 10'000u);
}

// An atomic whose caller may be interrupted before each access, for as long as the others like.
class InterruptedAtomic {
public:
    static inline std::function<void()> interrupt;

    InterruptedAtomic(std::uint64_t value) : value_(value) {}
    std::uint64_t load(std::memory_order) const { return interrupted().value_; }
    void store(std::uint64_t value, std::memory_order) { interrupted().value_ = value; }
    template <typename... Orders>
    bool compare_exchange_weak(std::uint64_t &expected, std::uint64_t value, Orders...) {
        if (interrupted().value_ == expected) return value_ = value, true;
        return expected = value_, false;
    }
    bool compare_exchange_strong(std::uint64_t &expected, std::uint64_t value, std::memory_order order) {
        return compare_exchange_weak(expected, value, order);
    }

private:
    InterruptedAtomic &interrupted() { return interrupt(), *this; }
    const InterruptedAtomic &interrupted() const { return interrupt(), *this; }

    std::uint64_t value_;
};

// Callers that interrupt one another. During an interruption the clock swings a number of times between two seconds. In
// each swing, others follow the clock back if they can, and the counts begin again.
class Interrupted {
public:
    explicit Interrupted(std::mt19937_64 &random) : random_(random) {
        InterruptedAtomic::interrupt = [this] { interrupt(); };
    }
    ~Interrupted() { InterruptedAtomic::interrupt = nullptr; }

    void swing() {
        for (const std::int64_t by : {4 * kNanosPerSecond, -4 * kNanosPerSecond}) {
            clock_.step(by);
            const Count count = counter_.take(clock_, kCounterDrift);
            if (count.verdict == Verdict::make)
                duplicates_ += !seen_.emplace(count.incarnation, count.time.value, count.counter).second;
        }
    }
    int duplicates() const { return duplicates_; }
    std::uint64_t steps() const { return std::get<0>(*seen_.rbegin()); }

private:
    void interrupt() {
        static constexpr int kSwings[] = {1, 2, 3, 127, 128, 254, 255, 256, 257, 258, 512};
        if (depth_ == 2 || random_() % (depth_ == 0 ? 8 : 200) != 0) return;
        ++depth_;
        for (int left = kSwings[random_() % std::size(kSwings)]; left > 0; --left) swing();
        --depth_;
    }

    std::mt19937_64 &random_;
    BasicSecondCounter<InterruptedAtomic> counter_;
    test::HandClock clock_;
    std::set<Taken> seen_;
    int depth_ = 0;
    int duplicates_ = 0;
};

TEST(InterruptedSecondCounter, NeverRepeatsACountHoweverLongACallerSleeps) {
    std::mt19937_64 random = test::seeded_random();
    Interrupted callers(random);
    for (int i = 0; i < 60; ++i) callers.swing();
    EXPECT_EQ(callers.duplicates(), 0);
    EXPECT_GT(callers.steps(), 10'000u);
}

}  // namespace
}  // namespace snowid::core
