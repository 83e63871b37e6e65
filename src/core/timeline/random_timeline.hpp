// A timeline for ids whose uniqueness rests on random bits: it only orders them, so it is not durable and never
// refuses.
//
//     ahead <= drift             issue
//     ahead <= drift + queue     wait until it is no more than drift ahead: overload is paced here
//     more                       the clock has stepped back: follow it, and issue
//
// Ids ascend over all callers for as long as the clock does not step back by more than the drift. Every caller takes
// its position before it waits and holds one at a time, so overload alone never gets past the queue.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "core/clock/policy.hpp"
#include "core/clock/uuid7_ticks.hpp"
#include "core/timeline/timeline.hpp"

namespace snowid::core {

// What came of asking for positions. Those in the run are taken, whatever the verdict: who waits goes on with them.
struct RandomDecision {
    Verdict verdict;       // issue or wait
    Run run;               // of take: one; of take_run: may be none, if the verdict is wait
    std::int64_t ahead;    // ticks that the first is ahead of the clock
    std::int64_t wait_ns;  // how long to wait, on a clock that does not step
    bool followed_back;    // this call has found that the clock stepped back: for the statistics
};

class alignas(64) RandomTimeline {
public:
    static constexpr std::int64_t kQueueTicks = 1 << 18;  // 64 ms: more callers than there can be
    static constexpr std::uint64_t kLargestRun = 64;

    std::uint64_t last() const noexcept { return position_.load(std::memory_order_relaxed); }

    // The common case and nothing else: a position that can be issued at once, or 0. `now` may be old.
    // REQUIRES: drift_ticks >= 0, the same for all callers.
    std::uint64_t take_now(UnixNanos now, std::int64_t drift_ticks) noexcept {
        const std::int64_t tick = Uuid7Ticks::at(now);
        std::uint64_t last = position_.load(std::memory_order_relaxed);
        for (;;) {
            const std::int64_t next = std::max(static_cast<std::int64_t>(last) + 1, tick);
            if (next - tick > drift_ticks) [[unlikely]]
                return 0;
            if (position_.compare_exchange_weak(last, static_cast<std::uint64_t>(next), std::memory_order_relaxed))
                [[likely]]
                return static_cast<std::uint64_t>(next);
        }
    }

    // `clock` returns UnixNanos. REQUIRES: drift_ticks >= 0, the same for all callers.
    template <typename Clock>
    RandomDecision take(const Clock &clock, std::int64_t drift_ticks) noexcept {
        return take(clock, drift_ticks, {drift_ticks + kQueueTicks, drift_ticks, 1});
    }

    // For batches: up to `want` positions that follow one another. A batch stops at a sixteenth of the drift, so that
    // it slows its own caller only, and others' ids are hardly dated ahead. REQUIRES: want > 0.
    template <typename Clock>
    RandomDecision take_run(const Clock &clock, std::int64_t drift_ticks, std::uint64_t want) noexcept {
        return take(clock, drift_ticks, {drift_ticks / 16, drift_ticks / 16, std::min(want, kLargestRun)});
    }

private:
    // What a call may take: ticks ahead of the clock that it may reach, and that it may issue at without a wait.
    struct Claim {
        std::int64_t reach;
        std::int64_t issued;
        std::uint64_t want;
    };

    template <typename Clock>
    RandomDecision take(const Clock &clock, std::int64_t drift_ticks, const Claim &claim) noexcept {
        bool followed = false;
        for (;;) {
            const std::int64_t now = read(clock);
            const Run run = take_at(now, drift_ticks, claim);
            const std::int64_t ahead = static_cast<std::int64_t>(run.first) - now;
            if (!stepped_back(ahead, drift_ticks)) [[likely]]
                return decide(run, ahead, claim, followed);
            followed |= follow(clock, drift_ticks);
        }
    }

    // Takes nothing if the clock seems to have stepped back.
    Run take_at(std::int64_t now, std::int64_t drift_ticks, const Claim &claim) noexcept {
        std::uint64_t last = position_.load(std::memory_order_relaxed);
        for (;;) {
            const std::int64_t first = std::max(static_cast<std::int64_t>(last) + 1, now);
            const std::int64_t room = now + claim.reach + 1 - first;
            Run run{static_cast<std::uint64_t>(first), 0};
            if (room <= 0 || stepped_back(first - now, drift_ticks)) return run;
            run.count = std::min(claim.want, static_cast<std::uint64_t>(room));
            if (position_.compare_exchange_weak(last, run.first + run.count - 1, std::memory_order_relaxed)) return run;
        }
    }

    // A reading of the clock may be older than the position, if its reader has slept: one that is made after the
    // position was seen cannot. If the position has not moved since, it goes back.
    template <typename Clock>
    bool follow(const Clock &clock, std::int64_t drift_ticks) noexcept {
        std::uint64_t last = position_.load(std::memory_order_acquire);
        const std::int64_t now = read(clock);
        if (!stepped_back(static_cast<std::int64_t>(last) + 1 - now, drift_ticks)) return false;
        return position_.compare_exchange_strong(last, static_cast<std::uint64_t>(now), std::memory_order_relaxed);
    }

    static constexpr RandomDecision decide(const Run &run, std::int64_t ahead, const Claim &claim,
                                           bool followed) noexcept {
        if (run.count != 0 && ahead <= claim.issued) [[likely]]
            return {Verdict::issue, run, ahead, 0, followed};
        const std::int64_t wait_ns = Uuid7Ticks::start(ahead - claim.issued).value;
        return {Verdict::wait, run, ahead, wait_ns, followed};
    }

    static constexpr bool stepped_back(std::int64_t ahead, std::int64_t drift_ticks) noexcept {
        return ahead > drift_ticks + kQueueTicks;
    }

    // Before 1970 it is 1970.
    template <typename Clock>
    static std::int64_t read(const Clock &clock) noexcept {
        return std::max(Uuid7Ticks::at(clock()), std::int64_t{0});
    }

    std::atomic<std::uint64_t> position_{0};
};

static_assert(sizeof(RandomTimeline) == 64 && std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace snowid::core
