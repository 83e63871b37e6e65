// A timeline is the ordered set of positions that one generator can give out, each at most once.
//
// `position` is the last position taken. It only grows, by compare-and-swap, and all callers share it. Nothing else is
// needed for uniqueness while the server runs. No position at or above `limit` is ever taken, whatever the clock says.
//
// Every compare-and-swap acquires and releases. To end a claim, increment the generator's version, then change the
// timeline. Then every position taken under the old version is visible. A caller reads the version after it takes a
// position, so a caller that takes one later sees the new version.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "core/clock/policy.hpp"
#include "core/clock/ticks.hpp"

namespace snowid::core {

// The answer to a request for a position. The position is taken if, and only if, the verdict is make or wait.
struct Decision {
    Verdict verdict;
    std::uint64_t position;
    std::int64_t ahead;     // ticks by which the position is ahead of the clock
    std::int64_t due_tick;  // a wait ends when the clock reaches this tick
};

// Consecutive positions.
struct Run {
    std::uint64_t first;
    std::uint64_t count;
};

class alignas(64) Timeline {
public:
    std::uint64_t last() const noexcept { return position_.load(std::memory_order_relaxed); }

    // Positions up to this one are never taken again. Used at a start, when the earlier ids are known.
    void advance_to(std::uint64_t position) noexcept {
        std::uint64_t last = position_.load(std::memory_order_relaxed);
        while (last < position && !exchange(last, position)) {
        }
    }

    // The next position will be in a later tick.
    void finish_tick(const Ticks &ticks) noexcept {
        std::uint64_t last = position_.load(std::memory_order_relaxed);
        while (!exchange(last, last == 0 ? 0 : ticks.first(ticks.tick_of(last) + 1) - 1)) {
        }
    }

    // Breaks the promise: positions above this one will be given out again.
    void rewind_to(std::uint64_t position) noexcept { position_.exchange(position, std::memory_order_acq_rel); }

    // Returns the last position. If the clock says that its tick is over, moves to the end of that tick and returns
    // that, so that later positions are in a later tick. What was stored before any position up to the result was taken
    // is visible.
    std::uint64_t end_past_tick(const Ticks &ticks, UnixNanos now) noexcept {
        std::uint64_t last = position_.load(std::memory_order_acquire);
        const std::int64_t tick = ticks.tick_of(last);
        const std::uint64_t end = ticks.floor(tick + 1) - 1;
        if (last == 0 || last >= end || ticks.at(now) <= tick) return last;
        return position_.compare_exchange_strong(last, end, std::memory_order_acq_rel, std::memory_order_acquire)
                   ? end
                   : last;
    }

    // No position taken from now on has a tick that begins before this, if the caller takes none of a tick before its
    // own.
    UnixNanos earliest_next(const Ticks &ticks, std::int64_t tick) const noexcept {
        return ticks.start(std::max(ticks.tick_of(last() + 1), tick));
    }

    // The fast path: a position in the current tick, or 0. The tick may have just ended.
    std::uint64_t take_now(const TickWindow &tick) noexcept {
        const Run run = take_between(tick.first, tick.past, 1);
        return run.count == 0 ? 0 : run.first;
    }

    // For batches: up to `want` positions in the current tick, or none. The last part of a tick is left to callers that
    // want one id, so a batch slows down only its own caller.
    Run take_run(const Ticks &ticks, const TickWindow &tick, std::uint64_t want) noexcept {
        if (want == 0) return {0, 0};
        const std::uint64_t past = std::min(tick.past, tick.first + batch_share(ticks));
        return take_between(tick.first, past, std::min(want, largest_run(ticks)));
    }

    // For a stretch: up to `want` positions of the clock's tick. The last quarter of it is left to callers that want
    // one id.
    Run take_stretch(const Ticks &ticks, const TickWindow &tick, std::uint64_t want) noexcept {
        const std::uint64_t share = ticks.capacity() - ticks.capacity() / 4;
        return take_between(tick.first, std::min(tick.past, tick.first + share), want);
    }

    // Applies the whole policy. `seen` is what last() returned before the caller read `now` from the clock. A refusal
    // means that the clock was behind the positions made at that moment. Positions made later, while the caller
    // slept, are no reason for a refusal.
    Decision take(const Ticks &ticks, const ClockPolicy &policy, std::uint64_t seen, UnixNanos now,
                  std::uint64_t limit) noexcept {
        const std::int64_t now_tick = ticks.at(now);
        const std::uint64_t floor = ticks.first(now_tick);
        std::uint64_t last = position_.load(std::memory_order_relaxed);
        for (;;) {
            Decision d = decide(ticks, policy, ticks.at_or_after(std::max(last + 1, floor)), now_tick, limit);
            const std::int64_t seen_ahead = ticks.tick_of(ticks.at_or_after(seen + 1)) - now_tick;
            if (d.verdict == Verdict::refuse && policy.judge(seen_ahead) != Verdict::refuse) d.verdict = Verdict::full;
            if (d.verdict != Verdict::make && d.verdict != Verdict::wait) return d;
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

    // Up to `want` positions after the last one, from `first` on and below `past`.
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
