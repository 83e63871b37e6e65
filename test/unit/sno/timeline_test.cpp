#include "core/sno/timeline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <tuple>
#include <vector>

#include "core/timeline/horizon.hpp"
#include "random.hpp"
#include "sno/reference.hpp"
#include "threads.hpp"

namespace snowid::core {
namespace {

constexpr std::int64_t kNow = 100'000'000'000;
constexpr SnoBounds kPool{10, 13};

void expect(const SnoDecision &d, SnoVerdict verdict, std::int64_t unit, std::uint32_t sequence, bool tick_tock) {
    EXPECT_EQ(static_cast<int>(d.verdict), static_cast<int>(verdict));
    EXPECT_EQ(d.position.unit, unit);
    EXPECT_EQ(d.position.sequence, sequence);
    EXPECT_EQ(d.position.tick_tock, tick_tock);
}

// A timeline, and a clock in units that the test sets.
struct Rig {
    SnoTimeline timeline;
    SnoPolicy policy{.max_ahead = 2, .patience = 0};
    std::int64_t limit = SnoUnits::kEnd;

    SnoDecision take(std::int64_t now) { return take(now, timeline.look()); }
    SnoDecision take(std::int64_t now, std::uint64_t seen) {
        return timeline.take(kPool, policy, seen, SnoUnits::start(now), limit);
    }
    SnoToggle begin(std::int64_t now) {
        return timeline.begin_toggle(policy, [&] { return SnoUnits::start(now); });
    }
    SnoPosition toggle(std::int64_t now) {
        const SnoToggle begun = begin(now);
        EXPECT_EQ(begun.verdict, SnoVerdict::toggle);
        return timeline.finish_toggle(kPool, begun);
    }
    void expect_waits(std::int64_t now, SnoVerdict verdict, std::int64_t due_unit) {
        const std::uint64_t before = timeline.look();
        const SnoDecision d = take(now);
        EXPECT_EQ(static_cast<int>(d.verdict), static_cast<int>(verdict));
        EXPECT_EQ(d.due_unit, due_unit);
        EXPECT_EQ(timeline.look(), before) << "took something";
    }
    SnoState state(std::int64_t now) const { return state_of(timeline, kPool, now); }
};

TEST(SnoTimeline, StartsEachUnitAtTheSmallestSequence) {
    Rig rig;
    expect(rig.take(kNow), SnoVerdict::make, kNow, 10, false);
    expect(rig.take(kNow), SnoVerdict::make, kNow, 11, false);
    expect(rig.take(kNow + 3), SnoVerdict::make, kNow + 3, 10, false);
}

TEST(SnoTimeline, TakesTheNextIdsInOrderAndWaitsWhenAUnitIsUsedUp) {
    Rig rig;
    for (std::uint32_t i = 10; i <= 13; ++i) expect(rig.take(kNow), SnoVerdict::make, kNow, i, false);
    for (std::int64_t unit = kNow + 1; unit <= kNow + 2; ++unit)
        for (std::uint32_t i = 10; i <= 13; ++i) {
            const SnoDecision d = rig.take(kNow);
            expect(d, SnoVerdict::wait, unit, i, false);
            EXPECT_EQ(d.due_unit, unit);
        }
    rig.expect_waits(kNow, SnoVerdict::full, kNow + 1);
    expect(rig.take(kNow + 1), SnoVerdict::wait, kNow + 3, 10, false);
    expect(rig.take(kNow + 3), SnoVerdict::make, kNow + 3, 11, false);
}

TEST(SnoTimeline, ACallerThatMayHoldNoIdLeavesTheIdsOfOthers) {
    Rig rig;
    for (int i = 0; i < 5; ++i) rig.take(kNow);
    rig.policy.max_ahead = 0;
    rig.expect_waits(kNow, SnoVerdict::full, kNow + 1);
    expect(rig.take(kNow + 1), SnoVerdict::make, kNow + 1, 11, false);
}

TEST(SnoTimeline, RunsAndSingleIdsNeverShareAnId) {
    std::mt19937_64 random = test::seeded_random();
    constexpr SnoBounds kWide{100, 1099};
    constexpr SnoBounds kShare = kWide.batch_share();
    constexpr SnoPolicy kBatch{.max_ahead = 0, .patience = 0}, kOne{.max_ahead = 1, .patience = 0};
    SnoTimeline timeline;
    std::set<std::pair<std::int64_t, std::uint32_t>> given;
    std::int64_t unit = kNow;
    std::uint32_t longest = 0;
    for (int i = 0; i < 20'000; ++i) {
        unit += random() % 30 == 0;
        const std::uint64_t seen = timeline.look();
        const auto want = static_cast<std::uint32_t>(random() % 200 + 1);
        const bool is_batch = random() % 4 != 0;
        std::uint32_t count = is_batch ? want : 1;
        const SnoDecision d =
            is_batch ? timeline.take_run(kShare, kBatch, seen, SnoUnits::start(unit), SnoUnits::kEnd, count)
                     : timeline.take(kWide, kOne, seen, SnoUnits::start(unit), SnoUnits::kEnd);
        if (d.verdict == SnoVerdict::full) continue;
        ASSERT_TRUE(d.verdict == SnoVerdict::make || (!is_batch && d.verdict == SnoVerdict::wait));
        ASSERT_LE(count, std::min(want, SnoTimeline::kLargestRun));
        ASSERT_LE(d.position.sequence + count - 1, is_batch ? kShare.max : kWide.max);
        for (std::uint32_t n = 0; n < count; ++n)
            ASSERT_TRUE(given.emplace(d.position.unit, d.position.sequence + n).second);
        longest = std::max(longest, count);
    }
    EXPECT_EQ(longest, SnoTimeline::kLargestRun);
    EXPECT_GT(given.size(), 100'000u);
}

TEST(SnoTimeline, DoesNotTakeOverloadForAStepBack) {
    Rig rig;
    for (int i = 0; i < 12; ++i) rig.take(kNow);
    EXPECT_EQ(rig.state(kNow).wall_hi, kNow + 2);
    rig.expect_waits(kNow, SnoVerdict::full, kNow + 1);
    EXPECT_EQ(rig.begin(kNow).verdict, SnoVerdict::look_again);
    rig.expect_waits(kNow - 1, SnoVerdict::toggle, 0);  // the clock had been at kNow
    const SnoToggle begun = rig.begin(kNow - 1);
    EXPECT_EQ(begun.safe, kNow + 2) << "an id that a caller holds counts as issued";
}

TEST(SnoTimeline, FlipsTheBitAtTheFirstStepBackAndWaitsAtTheSecond) {
    Rig rig;
    expect(rig.take(kNow), SnoVerdict::make, kNow, 10, false);
    rig.expect_waits(kNow - 50, SnoVerdict::toggle, 0);
    const SnoToggle begun = rig.begin(kNow - 50);
    EXPECT_EQ(begun.unit, kNow - 50);
    EXPECT_EQ(begun.safe, kNow);
    EXPECT_EQ(begun.toggles, 1u);
    for (const std::int64_t now : {kNow - 50, kNow, kNow + 50}) rig.expect_waits(now, SnoVerdict::toggle, 0);
    EXPECT_TRUE(rig.timeline.finish_toggle(kPool, begun).tick_tock);
    expect(rig.take(kNow - 50), SnoVerdict::make, kNow - 50, 11, true);
    expect(rig.take(kNow - 20), SnoVerdict::make, kNow - 20, 10, true);

    rig.expect_waits(kNow - 70, SnoVerdict::behind, kNow - 20);
    EXPECT_EQ(rig.begin(kNow - 70).verdict, SnoVerdict::behind);
    expect(rig.take(kNow - 20), SnoVerdict::make, kNow - 20, 11, true);
    expect(rig.take(kNow + 5), SnoVerdict::make, kNow + 5, 10, true);
    rig.expect_waits(kNow, SnoVerdict::behind, kNow + 1);
    EXPECT_EQ(rig.toggle(kNow + 1).tick_tock, false);
    EXPECT_EQ(rig.state(kNow + 1).wall_safe, kNow + 5);
}

TEST(SnoTimeline, DoesNotTakeAStaleReadingForAStepBack) {
    Rig rig;
    rig.take(kNow);
    const std::uint64_t seen = rig.timeline.look();
    rig.take(kNow + 9);  // while the caller slept
    EXPECT_EQ(rig.take(kNow, seen).verdict, SnoVerdict::look_again);
    EXPECT_EQ(rig.begin(kNow + 9).verdict, SnoVerdict::look_again);
}

TEST(SnoTimeline, LooksAgainAfterAToggle) {
    Rig rig;
    rig.take(kNow);
    const std::uint64_t seen = rig.timeline.look();
    rig.toggle(kNow - 50);  // while the caller slept with an old reading and an old limit
    EXPECT_EQ(rig.take(kNow, seen).verdict, SnoVerdict::look_again);
    EXPECT_EQ(rig.state(kNow).wall_hi, kNow - 50);
}

TEST(SnoTimeline, TakesNoIdWhileItIsStopped) {
    Rig rig;
    rig.take(kNow);
    EXPECT_EQ(rig.begin(kNow - 50).verdict, SnoVerdict::toggle);
    rig.expect_waits(kNow + 7, SnoVerdict::toggle, 0);
}

TEST(SnoTimeline, StopReturnsAHorizonAboveAllThatWasTaken) {
    Rig rig;
    rig.policy.patience = 250;
    rig.take(kNow);
    rig.toggle(kNow - 50);
    const UsedUp stopped = rig.timeline.stop();
    EXPECT_EQ(stopped, (UsedUp{SnoUnits::start(kNow - 49), kNow, 1}));
    rig.expect_waits(kNow, SnoVerdict::toggle, 0);
    rig.timeline.resume(merged(stopped, UsedUp::all_before(SnoUnits::start(kNow + 2))));
    rig.expect_waits(kNow, SnoVerdict::full, kNow + 2);
    expect(rig.take(kNow + 2), SnoVerdict::make, kNow + 2, 10, true);
}

TEST(SnoTimeline, TakesNoIdAtTheLimitUntilItIsAdvanced) {
    Rig rig;
    rig.limit = kNow + 1;
    rig.expect_waits(kNow + 1, SnoVerdict::at_limit, kNow + 1);
    rig.expect_waits(kNow + 999'999, SnoVerdict::at_limit, kNow + 999'999);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(rig.take(kNow).verdict, SnoVerdict::make);
    rig.expect_waits(kNow, SnoVerdict::at_limit, kNow + 1);
    rig.limit = kNow + 2;
    expect(rig.take(kNow), SnoVerdict::wait, kNow + 1, 10, false);
}

TEST(SnoTimeline, WaitsForAHorizonWithinItsPatienceAfterARestart) {
    Rig rig;
    rig.policy.patience = 250;
    rig.timeline.resume({SnoUnits::start(kNow + 250), kNow - 9000, 3});
    rig.expect_waits(kNow, SnoVerdict::full, kNow + 250);
    rig.expect_waits(kNow + 249, SnoVerdict::full, kNow + 250);
    expect(rig.take(kNow + 250), SnoVerdict::make, kNow + 250, 10, true);
    rig.expect_waits(kNow + 249, SnoVerdict::toggle, 0);  // patience ends with the first id
}

TEST(SnoTimeline, FlipsTheBitAfterARestartFarBehindItsHorizon) {
    Rig rig;
    rig.policy.patience = 250;
    rig.timeline.resume({{SnoUnits::start(kNow + 9000).value + 1}, kNow - 9000, 3});
    rig.expect_waits(kNow, SnoVerdict::toggle, 0);
    const SnoToggle begun = rig.begin(kNow);
    EXPECT_EQ(begun.safe, kNow + 9000) << "the horizon's own unit counts as used";
    EXPECT_EQ(begun.toggles, 4u);
    EXPECT_FALSE(rig.timeline.finish_toggle(kPool, begun).tick_tock);
}

TEST(SnoTimeline, WaitsAfterARestartBehindTheSafeUnit) {
    Rig rig;
    rig.timeline.resume({SnoUnits::start(kNow), kNow - 100, 1});
    rig.expect_waits(kNow - 101, SnoVerdict::behind, kNow - 99);
    rig.expect_waits(kNow - 100, SnoVerdict::behind, kNow - 99);
    rig.expect_waits(kNow - 99, SnoVerdict::toggle, 0);
}

// Whether an id of this unit with this bit counts as used up.
bool covers(const UsedUp &used_up, std::int64_t unit, bool bit) {
    return bit == ((used_up.toggles & 1) != 0) ? SnoUnits::start(unit) < used_up.horizon : unit <= used_up.safe;
}

TEST(UsedUp, MergedCoversBothAndNothingElse) {
    std::mt19937_64 random = test::seeded_random();
    const auto any = [&](std::uint64_t of) { return static_cast<std::int64_t>(random() % of); };
    const auto used_up = [&] {
        return UsedUp{{SnoUnits::start(any(8)).value + any(2)}, any(8), static_cast<std::uint64_t>(any(5))};
    };
    for (int round = 0; round < 10'000; ++round) {
        const UsedUp a = used_up(), b = used_up(), both = merged(a, b);
        EXPECT_EQ(both.toggles, std::max(a.toggles, b.toggles));
        EXPECT_EQ(merged(both, a), both);
        for (std::int64_t unit = 0; unit < 10; ++unit)
            for (const bool bit : {false, true})
                ASSERT_EQ(covers(both, unit, bit), covers(a, unit, bit) || covers(b, unit, bit)) << unit << bit;
    }
}

TEST(UsedUp, AllBeforeAnInstantCoversBothBits) {
    for (const std::int64_t more : {0, 1}) {
        const UsedUp all = UsedUp::all_before({SnoUnits::start(kNow).value + more});
        for (const bool bit : {false, true}) {
            EXPECT_TRUE(covers(all, kNow - 1, bit));
            EXPECT_EQ(covers(all, kNow, bit), more == 1);
        }
    }
}

TEST(SnoTimeline, RefusesAHorizonAdvancedForTheOtherBit) {
    Rig rig;
    rig.timeline.resume({{0}, 7, 2});
    rig.take(kNow);
    const std::uint64_t seen = rig.timeline.look();
    UsedUp used_up{};
    ASSERT_TRUE(rig.timeline.advanced(seen, {99}, used_up));
    EXPECT_EQ(used_up.horizon.value, 99);
    EXPECT_EQ(used_up.safe, 7);
    EXPECT_EQ(used_up.toggles, 2u);
    const SnoToggle begun = rig.begin(kNow - 50);
    EXPECT_FALSE(rig.timeline.advanced(seen, {99}, used_up));
    rig.timeline.finish_toggle(kPool, begun);
    EXPECT_FALSE(rig.timeline.advanced(seen, {99}, used_up));
    ASSERT_TRUE(rig.timeline.advanced(rig.timeline.look(), {98}, used_up));
    EXPECT_EQ(used_up.safe, kNow);
    EXPECT_EQ(used_up.toggles, 3u);
}

TEST(SnoPolicy, LetsEachCallerHoldAnIdUpToTheLargestLead) {
    constexpr std::int64_t kMs = millis(1);
    EXPECT_EQ(SnoPolicy::of(5 * kMs, 1000 * kMs, 100, {}).max_ahead, 1);
    EXPECT_EQ(SnoPolicy::of(0, 1000 * kMs, 100, {}).max_ahead, 1);
    EXPECT_EQ(SnoPolicy::of(9 * kMs, 1000 * kMs, 100, {}).max_ahead, 2);
    EXPECT_EQ(SnoPolicy::of(0, 1000 * kMs, 20, kPool).max_ahead, 5);
    EXPECT_EQ(SnoPolicy::of(0, 1000 * kMs, 2000, kPool).max_ahead, SnoPolicy::kMostAhead);
}

// After a crash the horizon is ahead of the clock by what was reserved. A start must not mistake that for a step back.
TEST(SnoPolicy, IsPatientEnoughForTheReserve) {
    std::mt19937_64 random = test::seeded_random();
    for (int i = 0; i < 10'000; ++i) {
        const auto reserve = static_cast<std::int64_t>(random() % 2'000'000'000);
        const SnoPolicy policy = SnoPolicy::of(static_cast<std::int64_t>(random() % 60'000'000), reserve, 100, kPool);
        const UnixNanos now{SnoUnits::start(kNow).value + static_cast<std::int64_t>(random() % SnoUnits::kUnitNs)};
        SnoTimeline timeline;
        const UnixNanos end = SnoUnits::start(kNow + policy.max_ahead + 1);
        timeline.resume({horizon_goal(now, end, kSnoMarginNs, reserve).target, 0, 0});
        ASSERT_EQ(timeline.take(kPool, policy, timeline.look(), now, SnoUnits::kEnd).verdict, SnoVerdict::full);
    }
}

TEST(SnoTimeline, HasNoIdsOutsideItsTime) {
    Rig rig;
    rig.expect_waits(-1, SnoVerdict::out_of_time, 0);
    EXPECT_EQ(rig.begin(-1).verdict, SnoVerdict::out_of_time);
    for (std::uint32_t i = 10; i <= 13; ++i)
        expect(rig.take(SnoUnits::kEnd - 1), SnoVerdict::make, SnoUnits::kEnd - 1, i, false);
    rig.expect_waits(SnoUnits::kEnd - 1, SnoVerdict::out_of_time, 0);
    rig.expect_waits(SnoUnits::kEnd, SnoVerdict::out_of_time, 0);
}

TEST(SnoTimeline, KeepsItsBoundsAfterAnyRestore) {
    for (const std::uint32_t sequence : {0u, 9u, 10u, 13u, 60'000u}) {
        Rig rig;
        restore(rig.timeline, {sequence, kNow, 0, 0}, kPool);
        const SnoDecision d = rig.take(kNow);
        EXPECT_GE(d.position.sequence, kPool.min);
        EXPECT_LE(d.position.sequence, kPool.max);
        EXPECT_EQ(d.position.unit > kNow, sequence >= kPool.max);
    }
}

TEST(SnoTimeline, GoesOnFromASnapshot) {
    Rig rig, other;
    rig.take(kNow);
    rig.toggle(kNow - 50);
    rig.take(kNow - 50);
    restore(other.timeline, rig.state(kNow - 50), kPool);
    for (const std::int64_t now : {kNow - 50, kNow - 49, kNow - 49}) {
        const SnoDecision a = rig.take(now), b = other.take(now);
        expect(b, a.verdict, a.position.unit, a.position.sequence, a.position.tick_tock);
    }
    EXPECT_EQ(rig.state(kNow).sequence, kPool.min) << "the clock is not in the last id's unit";
}

TEST(SnoTimeline, TakesGivenTimesInOrderAndNeverTogglesForThem) {
    Rig rig;
    const auto dated = [&](std::int64_t unit) { return rig.timeline.take_dated(kPool, unit, kNow + 9); };
    for (std::uint32_t i = 10; i <= 13; ++i) expect(dated(kNow), SnoVerdict::make, kNow, i, false);
    EXPECT_EQ(dated(kNow).verdict, SnoVerdict::full);
    expect(dated(kNow + 8), SnoVerdict::make, kNow + 8, 10, false);
    EXPECT_EQ(dated(kNow + 9).verdict, SnoVerdict::at_limit);
    EXPECT_EQ(dated(kNow + 7).verdict, SnoVerdict::behind);
    EXPECT_EQ(dated(-1).verdict, SnoVerdict::out_of_time);
    EXPECT_EQ(dated(SnoUnits::kEnd).verdict, SnoVerdict::out_of_time);
}

// Callers ask in random order for more ids than there are. The first to ask is served first, so no caller falls far
// behind.
TEST(SnoTimeline, ServesAllCallersEquallyUnderOverload) {
    constexpr std::size_t kCallers = 20;
    std::mt19937_64 random = test::seeded_random();
    Rig rig;
    rig.policy.max_ahead = kCallers / 4;
    std::vector<std::int64_t> due(kCallers, 0), served(kCallers, 0);
    for (std::int64_t now = kNow; now < kNow + 5000; ++now)
        for (int i = 0; i < 200; ++i) {
            const std::size_t caller = random() % kCallers;
            if (due[caller] > now) continue;
            const SnoDecision d = rig.take(now);
            ASSERT_TRUE(d.verdict == SnoVerdict::make || d.verdict == SnoVerdict::wait)
                << "every caller may hold an id";
            due[caller] = d.due_unit + (d.verdict == SnoVerdict::make ? 0 : 1);
            ++served[caller];
            ASSERT_LE(d.position.unit, now + rig.policy.max_ahead);
        }
    const auto [least, most] = std::minmax_element(served.begin(), served.end());
    EXPECT_GT(*least, *most * 9 / 10);
}

using Given = std::tuple<std::int64_t, bool, std::uint32_t>;

// Several threads on a clock that steps back and forth. One caller at a time toggles, as in the server.
TEST(SnoTimeline, NeverRepeatsAnIdWhenThreadsCallAndTheClockSteps) {
    constexpr int kThreads = 4, kIds = 30'000;
    for (const std::uint32_t capacity : {4u, 64u, 65536u}) {
        const SnoBounds bounds{0, capacity - 1};
        const SnoPolicy policy{.max_ahead = 3, .patience = 0};
        SnoTimeline timeline;
        std::atomic<std::int64_t> clock{SnoUnits::start(kNow).value};
        std::mutex lock;
        std::vector<std::vector<Given>> given(kThreads);
        std::mt19937_64 seeds = test::seeded_random();
        const std::uint64_t seed = seeds();
        test::in_threads(kThreads, [&](int me) {
            std::mt19937_64 random(seed + static_cast<std::uint64_t>(me));
            const auto read = [&] { return UnixNanos{clock.load()}; };
            auto &mine = given[static_cast<std::size_t>(me)];
            const auto keep = [&](const SnoPosition &p) { mine.emplace_back(p.unit, p.tick_tock, p.sequence); };
            while (mine.size() < kIds) {
                if (random() % 64 == 0) clock += static_cast<std::int64_t>(random() % 16) * 1'000'000;
                if (random() % 4096 == 0) clock -= static_cast<std::int64_t>(random() % 64) * 1'000'000;
                const std::uint64_t seen = timeline.look();
                const SnoDecision d = timeline.take(bounds, policy, seen, read(), SnoUnits::kEnd);
                if (d.verdict == SnoVerdict::make || d.verdict == SnoVerdict::wait) keep(d.position);
                if (d.verdict == SnoVerdict::full || d.verdict == SnoVerdict::behind) clock += 1'000'000;
                if (d.verdict != SnoVerdict::toggle) continue;
                const std::lock_guard held(lock);
                const SnoToggle begun = timeline.begin_toggle(policy, read);
                if (begun.verdict == SnoVerdict::toggle) keep(timeline.finish_toggle(bounds, begun));
            }
        });
        std::vector<Given> all;
        for (const auto &mine : given) all.insert(all.end(), mine.begin(), mine.end());
        std::sort(all.begin(), all.end());
        EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
        EXPECT_GT(timeline.toggles(), 1u) << "the clock never stepped back";
    }
}

}  // namespace
}  // namespace snowid::core
