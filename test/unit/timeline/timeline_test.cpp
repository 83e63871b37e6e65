#include "core/timeline/timeline.hpp"

#include <gtest/gtest.h>

#include <latch>
#include <limits>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "layout/random_layout.hpp"
#include "random.hpp"
#include "threads.hpp"

namespace snowid::core {
namespace {

using test::below;
using test::layout_of;

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min(), kMax = std::numeric_limits<std::int64_t>::max();

bool is_taken(const Decision &decision) {
    return decision.verdict == Verdict::make || decision.verdict == Verdict::wait;
}

// A layout's text always has a sequence, but a timeline may have a capacity of 1.
Layout small_layout(int time_bits, int sequence_bits) {
    Layout layout = layout_of("epoch=2024-01-01,tick=1ms,time=" + std::to_string(time_bits) +
                              ",sequence=" + std::to_string(std::max(sequence_bits, 1)));
    layout.fields[layout.sequence_index].bits = static_cast<std::uint8_t>(sequence_bits);
    layout.fields[layout.time_index].shift = static_cast<std::uint8_t>(sequence_bits);
    return layout;
}

// A timeline, and a clock in ticks since the epoch that the test sets.
struct Rig {
    explicit Rig(int sequence_bits, ClockPolicy policy_ = {.wait_ticks = 5, .drift_ticks = 2000}, int time_bits = 41)
        : layout(small_layout(time_bits, sequence_bits)), ticks(layout), policy(policy_) {}

    Decision take(std::int64_t tick, std::uint64_t limit) {
        return timeline.take(ticks, policy, timeline.last(), ticks.start(tick), limit);
    }
    Decision take(std::int64_t tick) { return take(tick, ticks.end()); }
    std::uint64_t take_now(std::int64_t tick) {
        return timeline.take_now(ticks.window(ticks.start(tick), ticks.end()));
    }
    Run take_run(std::int64_t tick, std::uint64_t want) {
        return timeline.take_run(ticks, ticks.window(ticks.start(tick), ticks.end()), want);
    }

    Layout layout;
    Ticks ticks;
    ClockPolicy policy;
    Timeline timeline;
};

void expect(const Decision &decision, Verdict verdict, std::uint64_t position, std::int64_t ahead) {
    EXPECT_EQ(static_cast<int>(decision.verdict), static_cast<int>(verdict));
    EXPECT_EQ(decision.position, position);
    EXPECT_EQ(decision.ahead, ahead);
}

// One at a time ------------------------------------------------------------------------------------------------------

TEST(Timeline, StartsEachTickAtItsFirstPosition) {
    Rig rig(12);
    expect(rig.take(1000), Verdict::make, 1000 * 4096, 0);
    expect(rig.take(1000), Verdict::make, 1000 * 4096 + 1, 0);
    expect(rig.take(1000), Verdict::make, 1000 * 4096 + 2, 0);
    expect(rig.take(1003), Verdict::make, 1003 * 4096, 0);
    EXPECT_EQ(rig.timeline.last(), 1003u * 4096);
}

TEST(Timeline, TakesFromTheNextTickAndWaitsWhenATickIsUsedUp) {
    Rig rig(2);
    for (std::uint64_t i = 0; i < 4; ++i) expect(rig.take(1000), Verdict::make, 4000 + i, 0);
    for (std::uint64_t i = 4; i < 8; ++i) {
        const Decision d = rig.take(1000);
        expect(d, Verdict::wait, 4000 + i, 1);
        EXPECT_EQ(d.due_tick, 1001);
    }
    expect(rig.take(1000), Verdict::wait, 4008, 2);
    expect(rig.take(1001), Verdict::wait, 4009, 1);
    expect(rig.take(1002), Verdict::make, 4010, 0);
}

TEST(Timeline, WaitsIssuesPacesOrRefusesByHowFarTheClockSteppedBack) {
    Rig rig(12);
    constexpr std::int64_t kTick = 10'000;
    std::uint64_t last = kTick * 4096;
    expect(rig.take(kTick), Verdict::make, last, 0);
    const struct {
        std::int64_t back;
        Verdict verdict;
        std::int64_t due;
    } steps[] = {
        {1, Verdict::wait, kTick},    {5, Verdict::wait, kTick},           {6, Verdict::make, 0},
        {2000, Verdict::make, 0},     {2001, Verdict::wait, kTick - 2000}, {2005, Verdict::wait, kTick - 2000},
        {2006, Verdict::full, 0},     {2007, Verdict::refuse, 0},          {9999, Verdict::refuse, 0},
        {20'000, Verdict::refuse, 0}, {4, Verdict::wait, kTick},           {0, Verdict::make, 0},
    };
    for (const auto &step : steps) {
        SCOPED_TRACE(step.back);
        const Decision d = rig.take(kTick - step.back);
        expect(d, step.verdict, last + 1, step.back);
        if (step.verdict == Verdict::wait) {
            EXPECT_EQ(d.due_tick, step.due);
        }
        if (is_taken(d)) ++last;
        EXPECT_EQ(rig.timeline.last(), last) << "only make and wait take a position";
    }
}

TEST(Timeline, TakesNothingAtTheLimitUntilItIsExtended) {
    Rig rig(12);
    constexpr std::uint64_t kFirst = 1000 * 4096;
    expect(rig.take(1000, kFirst), Verdict::at_limit, kFirst, 0);
    EXPECT_EQ(rig.timeline.last(), 0u);
    expect(rig.take(1000, kFirst + 2), Verdict::make, kFirst, 0);
    expect(rig.take(1000, kFirst + 2), Verdict::make, kFirst + 1, 0);
    expect(rig.take(1000, kFirst + 2), Verdict::at_limit, kFirst + 2, 0);
    expect(rig.take(998, kFirst + 2), Verdict::at_limit, kFirst + 2, 2);  // at_limit comes before wait
    expect(rig.take(999'999, kFirst + 2), Verdict::at_limit, 999'999ull * 4096, 0);
    EXPECT_EQ(rig.timeline.last(), kFirst + 1) << "a clock that leaps must not move the position";
    expect(rig.take(1000, kFirst + 3), Verdict::make, kFirst + 2, 0);
}

TEST(Timeline, DoesNotRefuseForAStaleReading) {
    Rig rig(12);
    expect(rig.take(1000), Verdict::make, 1000 * 4096, 0);
    const std::uint64_t seen = rig.timeline.last();
    rig.timeline.advance_to(9000 * 4096);  // while the caller slept
    const Decision d = rig.timeline.take(rig.ticks, rig.policy, seen, rig.ticks.start(1000), kNoLimit);
    EXPECT_EQ(d.verdict, Verdict::full);
    EXPECT_EQ(rig.timeline.last(), 9000u * 4096);
}

TEST(Timeline, RefusesFarAheadOfTheClockWhateverTheLimit) {
    Rig rig(12);
    rig.timeline.advance_to(9000 * 4096);
    expect(rig.take(1000, 0), Verdict::refuse, 9000 * 4096 + 1, 8000);
    EXPECT_EQ(rig.timeline.last(), 9000u * 4096);
}

TEST(Timeline, WaitsForTheFirstTickBeforeTheEpoch) {
    Rig rig(12, {.wait_ticks = 5, .drift_ticks = 10});
    expect(rig.take(-3), Verdict::wait, 1, 3);
    expect(rig.take(-10), Verdict::make, 2, 10);
    expect(rig.take(-17), Verdict::refuse, 3, 17);
    EXPECT_EQ(rig.timeline.last(), 2u);
}

TEST(Timeline, AdvancesButNeverGoesBack) {
    Rig rig(12);
    rig.timeline.advance_to(5000);
    EXPECT_EQ(rig.timeline.last(), 5000u);
    rig.timeline.advance_to(4999);
    EXPECT_EQ(rig.timeline.last(), 5000u);
    expect(rig.take(0), Verdict::wait, 5001, 1);
}

TEST(Timeline, StopsAtTheEndOfItsLayoutAndNeverWraps) {
    for (const int time_bits : {10, 33, 41}) {
        SCOPED_TRACE(time_bits);
        for (const int sequence_bits : {1, 8, 22, 31}) {
            if (time_bits + sequence_bits > 64) continue;
            Rig rig(sequence_bits, {.wait_ticks = 5, .drift_ticks = 2000}, time_bits);
            const std::int64_t last = rig.layout.last_generated_tick();
            rig.timeline.advance_to(rig.ticks.end() - 3);
            expect(rig.take(last), Verdict::make, rig.ticks.end() - 2, 0);
            expect(rig.take(last), Verdict::make, rig.ticks.end() - 1, 0);
            for (const std::int64_t now : {rig.ticks.start(last).value, rig.ticks.start(last).value + 999'999,
                                           rig.ticks.start(last + 1).value, kMax - 1, kMax}) {
                const Decision d =
                    rig.timeline.take(rig.ticks, rig.policy, rig.timeline.last(), {now}, rig.ticks.end());
                EXPECT_EQ(static_cast<int>(d.verdict), static_cast<int>(Verdict::at_limit)) << now;
                EXPECT_EQ(rig.timeline.take_run(rig.ticks, rig.ticks.window({now}, rig.ticks.end()), 10).count, 0u)
                    << now;
                EXPECT_EQ(rig.timeline.take_now(rig.ticks.window({now}, rig.ticks.end())), 0u) << now;
            }
            EXPECT_EQ(rig.timeline.last(), rig.ticks.end() - 1);
        }
    }
}

TEST(Timeline, TakesNothingWhenTheClockIsPastTheEndOfASmallLayout) {
    Timeline timeline;
    const Ticks ticks(layout_of("epoch=2024-01-01,tick=1us,time=30,sequence=31"));  // 18 minutes long
    const ClockPolicy policy{.wait_ticks = 5, .drift_ticks = 2000};
    std::mt19937_64 random = test::seeded_random();
    for (int i = 0; i < 100'000; ++i) {
        const UnixNanos now{ticks.start(1LL << 30).value + static_cast<std::int64_t>(random() >> 8)};
        ASSERT_EQ(timeline.take(ticks, policy, timeline.last(), now, ticks.end()).verdict, Verdict::at_limit)
            << now.value;
        ASSERT_EQ(timeline.take_run(ticks, ticks.window(now, ticks.end()), 64).count, 0u) << now.value;
        ASSERT_EQ(timeline.take_now(ticks.window(now, ticks.end())), 0u) << now.value;
    }
    EXPECT_EQ(timeline.last(), 0u);
}

TEST(Timeline, TakeNowTakesOnlyWhatCanBeIssuedAtOnce) {
    Rig rig(2);
    EXPECT_EQ(rig.take_now(-1), 0u);
    EXPECT_EQ(rig.take_now(0), 1u) << "position 0 is never taken: it means that none was";
    for (std::uint64_t i = 0; i < 4; ++i) EXPECT_EQ(rig.take_now(1000), 4000 + i);
    EXPECT_EQ(rig.take_now(1000), 0u) << "the next one would have to wait";
    EXPECT_EQ(rig.take_now(999), 0u) << "so would one after a step back";
    EXPECT_EQ(rig.timeline.last(), 4003u);
    EXPECT_EQ(rig.timeline.take_now(rig.ticks.window(rig.ticks.start(1001), 4004)), 0u) << "at the limit";
    EXPECT_EQ(rig.timeline.take_now(rig.ticks.window(rig.ticks.start(2000), 4004)), 0u);
    EXPECT_EQ(rig.timeline.last(), 4003u);
    EXPECT_EQ(rig.timeline.take_now(rig.ticks.window(rig.ticks.start(1001), 4005)), 4004u);
    EXPECT_EQ(rig.take_now(1003), 4012u);

    Rig larger(7);
    for (std::uint64_t i = 0; i < 128; ++i)
        EXPECT_EQ(larger.take_now(1000), 128'000 + i) << "up to the tick's last position";
    EXPECT_EQ(larger.take_now(1000), 0u);
}

// Any clock ----------------------------------------------------------------------------------------------------------

std::int64_t step_clock(std::mt19937_64 &random, std::int64_t now, std::int64_t tick_ns) {
    std::int64_t step = 0;
    switch (below(random, 8)) {
        case 0: step = static_cast<std::int64_t>(below(random, 4096)) * tick_ns; break;
        case 1: step = -static_cast<std::int64_t>(below(random, 32)) * tick_ns; break;
        case 2: return static_cast<std::int64_t>(random());
        case 3: return below(random, 2) == 0 ? kMin : kMax;
        case 4: return 1'735'689'600'000'000'000;  // 2025-01-01, where most layouts have room
        default: step = static_cast<std::int64_t>(below(random, 2 * static_cast<std::uint64_t>(tick_ns)));
    }
    std::int64_t next = 0;
    return __builtin_add_overflow(now, step, &next) ? now : next;
}

TEST(Timeline, PositionsGrowBelowTheLimitOnAnyClock) {
    std::mt19937_64 random = test::seeded_random();
    for (int round = 0; round < 300; ++round) {
        const test::RandomLayout made = test::random_layout(random);
        SCOPED_TRACE(made.text());
        const Ticks ticks(layout_of(made.text()));
        const ClockPolicy policy{.wait_ticks = 1 + static_cast<std::int64_t>(below(random, 8)),
                                 .drift_ticks = static_cast<std::int64_t>(below(random, 64))};
        Timeline timeline;
        timeline.advance_to(test::up_to(random, ticks.end() - 1));
        UnixNanos now{0};
        std::uint64_t limit = std::min(timeline.last() + 1 + below(random, 1000), ticks.end());
        for (int i = 0; i < 2000; ++i) {
            if (below(random, 4) == 0) now.value = step_clock(random, now.value, ticks.tick_ns());
            if (below(random, 64) == 0)
                limit = std::max(limit, std::min(ticks.end(), timeline.last() + below(random, ticks.capacity() * 8)));
            const std::uint64_t before = timeline.last();
            const std::int64_t clock_tick = ticks.at(now);
            if (below(random, 8) == 0) {
                const core::Run run = timeline.take_run(ticks, ticks.window(now, limit), 1 + below(random, 200));
                if (run.count == 0) {
                    ASSERT_EQ(timeline.last(), before);
                    continue;
                }
                ASSERT_GT(run.first, before);
                ASSERT_EQ(timeline.last(), run.first + run.count - 1);
                ASSERT_LT(timeline.last(), limit);
                ASSERT_EQ(ticks.tick_of(run.first), clock_tick);
                ASSERT_EQ(ticks.tick_of(timeline.last()), clock_tick);
                continue;
            }
            if (below(random, 4) == 0) {
                if (const std::uint64_t position = timeline.take_now(ticks.window(now, limit)); position != 0) {
                    ASSERT_GT(position, before);
                    ASSERT_LT(position, limit);
                    ASSERT_EQ(ticks.tick_of(position), clock_tick);
                    ASSERT_EQ(timeline.last(), position);
                    continue;
                }
                ASSERT_EQ(timeline.last(), before);
            }
            const Decision d = timeline.take(ticks, policy, timeline.last(), now, limit);
            ASSERT_GT(d.position, before);
            if (is_taken(d)) {
                ASSERT_EQ(timeline.last(), d.position);
                ASSERT_LT(d.position, limit);
                ASSERT_EQ(d.ahead, ticks.tick_of(d.position) - clock_tick);
                ASSERT_GE(d.ahead, 0);
                ASSERT_LE(d.ahead, policy.drift_ticks + policy.wait_ticks);
                ASSERT_TRUE(d.position == before + 1 || ticks.sequence_of(d.position) == 0);
            } else {
                ASSERT_EQ(timeline.last(), before);
                if (d.verdict == Verdict::at_limit) {
                    ASSERT_GE(d.position, limit);
                }
            }
        }
    }
}

// Overload -----------------------------------------------------------------------------------------------------------

struct Overload {
    int sequence_bits;
    int callers;
    std::int64_t drift_ns;
    unsigned cancel_percent;  // of the steps of a waiting caller
    bool stale_clock;         // a caller may sleep between reading the clock and taking a position
};

struct Outcome {
    int issued = 0;
    int full = 0;
    std::int64_t furthest = 0;  // ahead of the clock when made
};

// Callers that always want ids, on a clock that is right. Their steps come in random order.
class OverloadRun {
public:
    OverloadRun(const Overload &overload, std::mt19937_64 &random)
        : overload_(overload),
          random_(random),
          rig_(overload.sequence_bits,
               ClockPolicy::of(5'000'000, overload.drift_ns, 1'000'000, static_cast<std::uint64_t>(overload.callers),
                               1ULL << overload.sequence_bits)),
          callers_(static_cast<std::size_t>(overload.callers)) {}

    Outcome run(int steps) {
        for (int i = 0; i < steps && !testing::Test::HasFatalFailure(); ++i) {
            now_ += static_cast<std::int64_t>(below(random_, 40'000));
            step(callers_[below(random_, callers_.size())]);
        }
        return outcome_;
    }

private:
    struct Caller {
        std::int64_t reading = -1;  // of the clock, by a caller that is now asleep
        std::uint64_t seen = 0;     // the last position before the reading
        bool waits = false;
        Decision held{};
    };

    void step(Caller &caller) {
        const std::int64_t now_tick = rig_.ticks.at({now_});
        if (caller.waits) {
            if (now_tick >= caller.held.due_tick)
                make(caller, now_tick);
            else if (below(random_, 100) < overload_.cancel_percent)
                caller.waits = false;
        } else if (caller.reading < 0 && overload_.stale_clock && below(random_, 4) == 0) {
            caller.seen = rig_.timeline.last();
            caller.reading = now_;
        } else {
            take(caller, now_tick);
        }
    }

    void take(Caller &caller, std::int64_t now_tick) {
        const bool stale = caller.reading >= 0;
        const Decision d = rig_.timeline.take(rig_.ticks, rig_.policy, stale ? caller.seen : rig_.timeline.last(),
                                              {stale ? caller.reading : now_}, kNoLimit);
        caller.reading = -1;
        ASSERT_NE(d.verdict, Verdict::refuse) << "overload must be paced, never refused";
        outcome_.full += d.verdict == Verdict::full;
        caller.held = d;
        caller.waits = d.verdict == Verdict::wait;
        if (d.verdict == Verdict::make) make(caller, now_tick);
    }

    void make(Caller &caller, std::int64_t now_tick) {
        caller.waits = false;
        ++outcome_.issued;
        outcome_.furthest = std::max(outcome_.furthest, rig_.ticks.tick_of(caller.held.position) - now_tick);
    }

    const Overload &overload_;
    std::mt19937_64 &random_;
    Rig rig_;
    std::vector<Caller> callers_;
    std::int64_t now_ = rig_.ticks.start(1'000'000).value;
    Outcome outcome_;
};

TEST(TimelineOverload, IsNeverRefusedEvenWhenWaitingCallersGiveUp) {
    std::mt19937_64 random = test::seeded_random();
    bool was_full = false;
    for (const int sequence_bits : {0, 1, 2})
        for (const int callers : {1, 2, 5, 40, 200})
            for (const std::int64_t drift_ns : {0, 3'000'000, 100'000'000})
                for (const unsigned cancel_percent : {0u, 10u, 90u})
                    for (const bool stale : {false, true}) {
                        SCOPED_TRACE(testing::Message() << sequence_bits << " bits, " << callers << " callers, drift "
                                                        << drift_ns << ", cancel " << cancel_percent << ", " << stale);
                        const Overload overload{sequence_bits, callers, drift_ns, cancel_percent, stale};
                        const Outcome outcome = OverloadRun(overload, random).run(20'000);
                        if (HasFatalFailure()) return;
                        EXPECT_GT(outcome.issued, 0);
                        EXPECT_LE(outcome.furthest, drift_ns / 1'000'000);
                        was_full = was_full || outcome.full > 0;
                        if (cancel_percent == 0 && !stale) {
                            EXPECT_EQ(outcome.full, 0)
                                << "each waiting caller holds one position, and there is room for all";
                            EXPECT_EQ(outcome.furthest, 0) << "overload alone issues nothing ahead of the clock";
                        }
                    }
    EXPECT_TRUE(was_full) << "the simulated load was too light to test anything";
}

// Runs ---------------------------------------------------------------------------------------------------------------

TEST(TimelineRun, TakesPositionsOfTheClocksTickAndLeavesTheLastPart) {
    for (int bits = 0; bits <= 16; ++bits) {
        SCOPED_TRACE(bits);
        Rig rig(bits);
        const std::uint64_t capacity = rig.ticks.capacity(), first = 1000 * capacity;
        std::uint64_t taken = 0;
        for (;;) {
            const core::Run run = rig.take_run(1000, 1'000'000);
            if (run.count == 0) break;
            ASSERT_EQ(run.first, first + taken);
            ASSERT_LE(run.count, 64u) << "a run must leave positions to others";
            ASSERT_LE(run.count, std::max<std::uint64_t>(capacity / 16, 1));
            taken += run.count;
        }
        EXPECT_EQ(taken, capacity - capacity / 128);
        for (std::uint64_t i = taken; i < capacity; ++i) expect(rig.take(1000), Verdict::make, first + i, 0);
        expect(rig.take(1000), Verdict::wait, first + capacity, 1);
        EXPECT_EQ(rig.take_run(1000, 1).count, 0u);
        EXPECT_EQ(rig.take_run(1001, 1).first, first + capacity + 1);
    }
}

TEST(TimelineRun, TakesNoMoreThanAskedFor) {
    Rig rig(12);
    EXPECT_EQ(rig.take_run(1000, 3).count, 3u);
    const core::Run run = rig.take_run(1000, 5);
    EXPECT_EQ(run.first, 1000u * 4096 + 3);
    EXPECT_EQ(run.count, 5u);
    const std::uint64_t before = rig.timeline.last();
    EXPECT_EQ(rig.take_run(1000, 0).count, 0u);
    EXPECT_EQ(rig.take_run(1001, 0).count, 0u);
    EXPECT_EQ(rig.timeline.last(), before) << "a run of 0 takes nothing";
}

TEST(TimelineRun, StaysBetweenTheEpochAndTheClockAndBelowTheLimit) {
    Rig rig(12);
    EXPECT_EQ(rig.take_run(-1, 10).count, 0u);
    EXPECT_EQ(rig.timeline.last(), 0u);
    EXPECT_EQ(rig.take_run(0, 10).first, 1u);
    rig.timeline.advance_to(1000 * 4096);
    EXPECT_EQ(rig.take_run(999, 10).count, 0u);
    EXPECT_EQ(rig.timeline.last(), 1000u * 4096);
    const UnixNanos now = rig.ticks.start(1000);
    EXPECT_EQ(rig.timeline.take_run(rig.ticks, rig.ticks.window(now, 1000 * 4096 + 3), 10).count, 2u);
    EXPECT_EQ(rig.timeline.take_run(rig.ticks, rig.ticks.window(now, 1000 * 4096 + 3), 10).count, 0u);
    EXPECT_EQ(rig.timeline.take_run(rig.ticks, rig.ticks.window(now, 5), 10).count, 0u);
    EXPECT_EQ(rig.timeline.take_run(rig.ticks, rig.ticks.window(rig.ticks.start(2000), 1000 * 4096 + 9), 10).count, 0u);
    EXPECT_EQ(rig.timeline.last(), 1000u * 4096 + 2);
}

// Threads ------------------------------------------------------------------------------------------------------------

// All callers push the clock forward, just fast enough that most find room in its tick. Sometimes it steps back. A
// caller that reaches the limit extends it.
struct Shared {
    Rig rig{12};
    std::atomic<std::int64_t> clock{rig.ticks.start(1'000'000).value};
    std::atomic<std::uint64_t> limit{0};

    UnixNanos now(std::uint64_t call) {
        const std::int64_t step = call % 1000 == 999 ? -150'000 : 1000;
        return {clock.fetch_add(step, std::memory_order_relaxed) + step};
    }
    void extend(std::uint64_t reached) {
        std::uint64_t old = limit.load();
        const std::uint64_t wanted = reached + 10'000;
        while (old < wanted && !limit.compare_exchange_weak(old, wanted)) {
        }
    }
};

void take_many(Shared &shared, bool in_runs, std::size_t want, std::vector<std::uint64_t> &out) {
    Rig &rig = shared.rig;
    for (std::uint64_t call = 0; out.size() < want; ++call) {
        const UnixNanos now = shared.now(call);
        const std::uint64_t limit = shared.limit.load();
        if (in_runs && call % 2 == 0) {
            const core::Run run = rig.timeline.take_run(rig.ticks, rig.ticks.window(now, limit), 20);
            for (std::uint64_t i = 0; i < run.count; ++i) out.push_back(run.first + i);
            if (run.count > 0) continue;
        }
        if (call % 3 == 0) {
            if (const std::uint64_t position = rig.timeline.take_now(rig.ticks.window(now, limit)); position != 0) {
                out.push_back(position);
                continue;
            }
        }
        const Decision d = rig.timeline.take(rig.ticks, rig.policy, rig.timeline.last(), now, limit);
        if (is_taken(d)) out.push_back(d.position);
        if (is_taken(d) && d.position >= limit) ADD_FAILURE() << d.position << " is past the limit " << limit;
        if (d.verdict == Verdict::at_limit) shared.extend(d.position);
    }
}

void take_together(std::size_t threads_wanted, std::size_t each) {
    Shared shared;
    std::vector<std::vector<std::uint64_t>> taken(threads_wanted);
    std::latch start(static_cast<std::ptrdiff_t>(threads_wanted));
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < threads_wanted; ++i)
        threads.emplace_back([&, i] {
            taken[i].reserve(each + 64);
            start.arrive_and_wait();
            take_many(shared, i == 0, each, taken[i]);
        });
    for (std::thread &thread : threads) thread.join();

    std::vector<std::uint64_t> all;
    for (const auto &mine : taken) {
        ASSERT_EQ(std::adjacent_find(mine.begin(), mine.end(), std::greater_equal<>()), mine.end());
        all.insert(all.end(), mine.begin(), mine.end());
    }
    std::sort(all.begin(), all.end());
    EXPECT_GE(all.size(), threads_wanted * each);
    ASSERT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
    EXPECT_LT(all.back(), shared.limit.load());
    EXPECT_EQ(all.back(), shared.rig.timeline.last());
}

TEST(TimelineThreads, NeverRepeatsAPositionAndEachCallerSeesPositionsGrow) {
    for (int round = 0; round < 5; ++round) ASSERT_NO_FATAL_FAILURE(take_together(4, 200'000));  // races are rare
}

TEST(TimelineThreads, OnlyGrowsWhenStartsAndCallersMeet) {
    Shared shared;
    shared.extend(kNoLimit / 2);
    std::vector<std::uint64_t> taken;
    std::thread starter([&] {
        for (std::uint64_t i = 0; i < 20'000; ++i) shared.rig.timeline.advance_to(1'000'000ull * 4096 + i * 3);
    });
    take_many(shared, false, 100'000, taken);
    starter.join();
    EXPECT_EQ(std::adjacent_find(taken.begin(), taken.end(), std::greater_equal<>()), taken.end());
}

// As in the server when a generator's numbers change: a claim ends under a lock, and callers look up the next claim
// under the same lock. A position counts only if its claim is still in force after it was taken.
TEST(TimelineThreads, NoTickHasPositionsOfTwoClaims) {
    constexpr int kTakers = 3, kClaims = 2'000;
    Rig rig(6);
    std::atomic<int> claim{0};
    std::mutex lock;
    std::vector<std::vector<std::pair<std::int64_t, int>>> taken(kTakers);  // tick and claim
    test::in_threads(kTakers + 1, [&](int i) {
        if (i == kTakers) {
            for (int n = 1; n <= kClaims; ++n) {
                const std::uint64_t before = rig.timeline.last();
                {
                    const std::scoped_lock held(lock);
                    claim.store(n, std::memory_order_release);
                    rig.timeline.finish_tick(rig.ticks);
                }
                while (rig.timeline.last() < before + 20) std::this_thread::yield();
            }
            claim.store(-1, std::memory_order_release);
            return;
        }
        for (int mine = 0; mine >= 0;) {
            const Decision d = rig.take(rig.ticks.tick_of(rig.timeline.last() + 1));
            if (is_taken(d) && claim.load(std::memory_order_acquire) == mine) {
                // Once a tick is enough: on a busy machine each claim has millions of positions.
                const std::pair of{rig.ticks.tick_of(d.position), mine};
                if (auto &all = taken[static_cast<std::size_t>(i)]; all.empty() || all.back() != of) all.push_back(of);
            } else {
                const std::scoped_lock held(lock);
                mine = claim.load(std::memory_order_relaxed);
            }
        }
    });
    std::map<std::int64_t, int> claim_of;
    for (const auto &mine : taken)
        for (const auto &[tick, of] : mine)
            ASSERT_EQ(claim_of.try_emplace(tick, of).first->second, of) << "tick " << tick;
    EXPECT_GT(claim_of.size(), 50u);
}

TEST(Timeline, GivesStretchesOfTheClocksTickAlone) {
    const Ticks ticks(test::layout_of("epoch=2024-01-01,tick=1ms,time=41,worker=10,sequence=12"), {100, 1123});
    const std::int64_t tick = ticks.at(to_nanos(test::kNow));
    Timeline timeline;
    const TickWindow window = ticks.window_of(tick, ~0ULL);
    const auto first = timeline.take_stretch(ticks, window, 256);
    EXPECT_EQ(first.first, ticks.first(tick));
    EXPECT_EQ(first.count, 256U);
    EXPECT_EQ(timeline.take_stretch(ticks, window, 256).count, 256U);
    EXPECT_EQ(timeline.take_stretch(ticks, window, 300).count, 256U) << "the last quarter is left to others";
    EXPECT_EQ(timeline.take_stretch(ticks, window, 2).count, 0U);
    EXPECT_NE(timeline.take_now(window), 0U);
    const std::uint64_t limit = ticks.first(tick + 1) + 10;
    EXPECT_EQ(timeline.take_stretch(ticks, ticks.window_of(tick + 1, limit), 256).count, 10U) << "below the soft limit";
    timeline.advance_to(ticks.first(tick + 3));
    EXPECT_EQ(timeline.take_stretch(ticks, ticks.window_of(tick + 2, ~0ULL), 2).count, 0U)
        << "ids are ahead of the clock";
}

}  // namespace
}  // namespace snowid::core
