// A timeline: the ordered set of positions that one generator can give out, each at most once.
//
// `position` is the last one taken. It only grows, by compare-and-swap, whoever calls: that is the whole of uniqueness
// while the server runs. No position at or above `limit` is ever taken, whatever the clock says.
//
// Each of these acquires and releases. So who ends a claim, by a word that takers look at after their position, and
// then changes the timeline sees every position that was taken by that claim, and whoever takes one later sees that it
// ended.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "core/clock/policy.hpp"
#include "core/clock/ticks.hpp"

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
        while (last < position && !exchange(last, position)) {
        }
    }

    // What comes next is of a later tick.
    void finish_tick(const Ticks &ticks) noexcept {
        std::uint64_t last = position_.load(std::memory_order_relaxed);
        while (!exchange(last, last == 0 ? 0 : ticks.first(ticks.tick_of(last) + 1) - 1)) {
        }
    }

    // Gives the promise up: what lies above will be given out again.
    void rewind_to(std::uint64_t position) noexcept { position_.store(position, std::memory_order_relaxed); }

    // The common case and nothing else: a position of the current tick, or 0. The tick may be one that has just passed.
    std::uint64_t take_now(const TickWindow &tick) noexcept {
        const Run run = take_between(tick.first, tick.past, 1);
        return run.count == 0 ? 0 : run.first;
    }

    // For batches: up to `want` positions of the current tick, or none. The last part of a tick is left to callers who
    // want one id, so that a batch slows its own caller only.
    Run take_run(const Ticks &ticks, const TickWindow &tick, std::uint64_t want) noexcept {
        if (want == 0) return {0, 0};
        const std::uint64_t past = std::min(tick.past, tick.first + batch_share(ticks));
        return take_between(tick.first, past, std::min(want, largest_run(ticks)));
    }

    // All of the policy. `seen` is what last() was before `now` was read from the clock: to refuse is to say that the
    // clock is behind what had been issued when it was read, and not what was issued while the caller slept.
    Decision take(const Ticks &ticks, const ClockPolicy &policy, std::uint64_t seen, UnixNanos now,
                  std::uint64_t limit) noexcept {
        const std::int64_t now_tick = ticks.at(now);
        const std::uint64_t floor = ticks.first(now_tick);
        std::uint64_t last = position_.load(std::memory_order_relaxed);
        for (;;) {
            Decision d = decide(ticks, policy, ticks.at_or_after(std::max(last + 1, floor)), now_tick, limit);
            const std::int64_t seen_ahead = ticks.tick_of(ticks.at_or_after(seen + 1)) - now_tick;
            if (d.verdict == Verdict::refuse && policy.judge(seen_ahead) != Verdict::refuse) d.verdict = Verdict::full;
            if (d.verdict != Verdict::issue && d.verdict != Verdict::wait) return d;
            if (exchange(last, d.position)) return d;
        }
    }

    static constexpr std::uint64_t batch_share(const Ticks &ticks) noexcept {
        return ticks.capacity() - ticks.capacity() / 128;
    }
    static constexpr std::uint64_t largest_run(const Ticks &ticks) noexcept {
        return std::clamp<std::uint64_t>(ticks.capacity() / 16, 1, 64);
    }

private:
    bool exchange(std::uint64_t &last, std::uint64_t next) noexcept {
        return position_.compare_exchange_weak(last, next, std::memory_order_acq_rel, std::memory_order_relaxed);
    }

    // Up to `want` positions that follow the last one, from `first` on and below `past`.
    Run take_between(std::uint64_t first, std::uint64_t past, std::uint64_t want) noexcept {
        std::uint64_t last = position_.load(std::memory_order_relaxed);
        for (;;) {
            const std::uint64_t next = std::max(last + 1, first);
            if (next >= past) [[unlikely]]
                return {next, 0};
            const std::uint64_t count = std::min(want, past - next);
            if (exchange(last, next + count - 1)) [[likely]]
                return {next, count};
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
