// A timeline: the ordered set of positions that one generator can give out, each at most once.
//
// `position` is the last one taken. It only grows, by compare-and-swap, whoever calls: that is the whole of uniqueness
// while the server runs. No position at or above `limit` is ever taken, whatever the clock says.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "core/gen/clock_policy.hpp"
#include "core/gen/ticks.hpp"

namespace snowid::core {

// What came of asking for a position. Taken if, and only if, the verdict is issue or wait.
struct Decision {
    Verdict verdict;
    std::uint64_t position;
    std::int64_t ahead;     // ticks that the position is ahead of the clock
    std::int64_t due_tick;  // when the clock has reached it, who waits may go on
};

// Positions that follow one another.
struct Run {
    std::uint64_t first;
    std::uint64_t count;
};

class alignas(64) Timeline {
public:
    std::uint64_t last() const noexcept { return position_.load(std::memory_order_relaxed); }

    // Never takes one of them again. For a start from what is known of earlier times.
    void advance_to(std::uint64_t position) noexcept {
        std::uint64_t last = position_.load(std::memory_order_relaxed);
        while (last < position && !position_.compare_exchange_weak(last, position, std::memory_order_relaxed)) {
        }
    }

    // The common case and nothing else: a position that can be issued at once, or 0. `now` may be old.
    std::uint64_t take_now(const Ticks &ticks, UnixNanos now, std::uint64_t limit) noexcept {
        const Run run = take_of_tick(ticks, ticks.at(now), ticks.capacity(), limit, 1);
        return run.count == 0 ? 0 : run.first;
    }

    // For batches: up to `want` positions of the current tick, or none. The last part of a tick is left to callers who
    // want one id, so that a batch slows its own caller only.
    Run take_run(const Ticks &ticks, UnixNanos now, std::uint64_t limit, std::uint64_t want) noexcept {
        return take_of_tick(ticks, ticks.at(now), batch_share(ticks), limit, std::min(want, largest_run(ticks)));
    }

    // All of the policy. `seen` is what last() was before `now` was read from the clock: to refuse is to say that the
    // clock is behind what had been issued when it was read, and not what was issued while the caller slept.
    Decision take(const Ticks &ticks, const ClockPolicy &policy, std::uint64_t seen, UnixNanos now,
                  std::uint64_t limit) noexcept {
        const std::int64_t now_tick = ticks.at(now);
        const std::uint64_t floor = ticks.first(now_tick);
        std::uint64_t last = position_.load(std::memory_order_relaxed);
        for (;;) {
            Decision d = decide(ticks, policy, std::max(last + 1, floor), now_tick, limit);
            if (d.verdict == Verdict::refuse && policy.judge(ticks.tick_of(seen + 1) - now_tick) != Verdict::refuse)
                d.verdict = Verdict::full;
            if (d.verdict != Verdict::issue && d.verdict != Verdict::wait) return d;
            if (position_.compare_exchange_weak(last, d.position, std::memory_order_relaxed)) return d;
        }
    }

    static constexpr std::uint64_t batch_share(const Ticks &ticks) noexcept {
        return ticks.capacity() - ticks.capacity() / 64;
    }
    static constexpr std::uint64_t largest_run(const Ticks &ticks) noexcept {
        return std::clamp<std::uint64_t>(ticks.capacity() / 16, 1, 64);
    }

private:
    // Up to `want` positions among the first `share` of the tick, below the limit.
    Run take_of_tick(const Ticks &ticks, std::int64_t tick, std::uint64_t share, std::uint64_t limit,
                     std::uint64_t want) noexcept {
        if (tick < 0 || want == 0) [[unlikely]]  // before the epoch
            return {0, 0};
        const std::uint64_t floor = ticks.first(tick);
        const std::uint64_t end = std::min(floor + share, limit);
        std::uint64_t last = position_.load(std::memory_order_relaxed);
        for (;;) {
            const std::uint64_t first = std::max(last + 1, floor);
            if (first >= end) [[unlikely]]
                return {first, 0};
            const std::uint64_t count = std::min(want, end - first);
            if (position_.compare_exchange_weak(last, first + count - 1, std::memory_order_relaxed)) [[likely]]
                return {first, count};
        }
    }

    static constexpr Decision decide(const Ticks &ticks, const ClockPolicy &policy, std::uint64_t next,
                                     std::int64_t now_tick, std::uint64_t limit) noexcept {
        const std::int64_t ahead = ticks.tick_of(next) - now_tick;
        Verdict verdict = policy.judge(ahead);
        if (next >= limit && verdict != Verdict::full && verdict != Verdict::refuse) verdict = Verdict::at_limit;
        return {verdict, next, ahead, ticks.tick_of(next) - policy.allowed_ahead(ahead)};
    }

    std::atomic<std::uint64_t> position_{0};
};

static_assert(sizeof(Timeline) == 64 && std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace snowid::core
