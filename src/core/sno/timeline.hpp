// The timeline of a sno generator: units of 4 ms and the sequence numbers within them. Each pair is given out at most
// once with each tick-tock bit.
//
// The state is one word (word.hpp), changed by compare-and-swap, so concurrent callers never get the same pair.
//
// When the clock steps back, the bit flips and ids continue from the clock's time. `safe` is the last unit that was
// used with the other bit. An id is made only in a unit after the safe unit of its bit, so ids with the same bit
// never repeat.
//
// All changes of the state other than taking ids (begin_toggle() and finish_toggle(), stop() and resume()) are for one
// caller at a time. It holds a lock of the server, and stops all other callers meanwhile. Before it finishes, it
// invalidates the limits of all backends, so nobody makes an id with the new bit before the bit is durable.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "core/clock/sno_units.hpp"
#include "core/sno/word.hpp"
#include "core/timeline/used_up.hpp"

namespace snowid::core {

enum class SnoVerdict : std::uint8_t {
    make,
    wait,         // the id is taken; make it when the clock reaches due_unit
    full,         // callers hold every id that may be held: wait, then look() again
    behind,       // the clock has stepped back into time used with both bits: wait, then look() again
    look_again,   // other callers changed the state after look()
    toggle,       // the clock has stepped back; see begin_toggle()
    at_limit,     // advance the horizon, then look() again
    out_of_time,  // no id can hold the clock's time
};

// The answer to a request for an id. The id is taken if, and only if, the verdict is make or wait.
struct SnoDecision {
    SnoVerdict verdict;
    SnoPosition position;
    std::int64_t due_unit;
};

// The verdict is toggle if the toggle has begun. Otherwise it is one of take()'s verdicts.
struct SnoToggle {
    SnoVerdict verdict;
    std::int64_t due_unit;
    std::int64_t unit;  // of the first id after the toggle
    std::int64_t safe;
    std::uint64_t toggles;
};

class alignas(64) SnoTimeline {
public:
    static constexpr std::uint32_t kLargestRun = 64;

    // The state as a caller sees it before it reads the clock. The clock has stepped back only if it is behind an id
    // that was taken before the clock was read.
    std::uint64_t look() const noexcept { return word_.load(std::memory_order_acquire); }
    static constexpr std::int64_t unit_of(std::uint64_t seen) noexcept { return Word::of(seen).unit; }

    // Never takes an id of a unit at or above `limit`.
    SnoDecision take(const SnoBounds &bounds, const SnoPolicy &policy, std::uint64_t seen, UnixNanos now,
                     std::int64_t limit) noexcept {
        std::uint32_t one = 1;
        return take_run(bounds, policy, seen, now, limit, one);
    }

    // The same for up to `count` ids, with consecutive sequence numbers starting at the decision's. Sets `count` to the
    // number of ids taken. REQUIRES: count > 0.
    [[gnu::always_inline]] SnoDecision take_run(const SnoBounds &bounds, const SnoPolicy &policy, std::uint64_t seen,
                                                UnixNanos now, std::int64_t limit, std::uint32_t &count) noexcept {
        const std::int64_t unit = SnoUnits::at(now);
        if (!SnoUnits::has(unit)) [[unlikely]]
            return without(SnoVerdict::out_of_time);
        std::uint64_t bits = word_.load(std::memory_order_relaxed);
        for (;;) {
            Word next{};
            const SnoDecision d = decide(Word::of(bits), Word::of(seen), {bounds, policy, unit, limit}, next);
            if (d.verdict != SnoVerdict::make && d.verdict != SnoVerdict::wait) [[unlikely]]
                return d;
            const std::uint32_t more = std::min({count - 1, bounds.max - next.sequence, kLargestRun - 1});
            next.sequence += more;
            if (!exchange(bits, next)) [[unlikely]]
                continue;
            count = more + 1;
            return d;
        }
    }

    // For ids whose time comes from the caller. They have their own timeline, and the given times are its clock. A time
    // before the last one is `behind`, and a time whose sequence numbers are used up is `full`. The bit never toggles.
    SnoDecision take_dated(const SnoBounds &bounds, std::int64_t unit, std::int64_t limit) noexcept {
        std::uint64_t bits = word_.load(std::memory_order_relaxed);
        for (;;) {
            const Word last = Word::of(bits);
            if (!SnoUnits::has(unit)) return without(SnoVerdict::out_of_time);
            if (last.phase() == SnoPhase::stopped) return without(SnoVerdict::look_again);
            if (unit < last.unit) return without(SnoVerdict::behind, last.unit);
            if (unit == last.unit && last.is_used_up(bounds)) return without(SnoVerdict::full, unit + 1);
            if (unit >= limit) return without(SnoVerdict::at_limit, unit);
            const Word next = last.next(bounds, unit, 0);
            if (exchange(bits, next)) return taken(next);
        }
    }

    // REQUIRES, for this and finish_toggle(): the lock. `clock` returns UnixNanos.
    template <typename Clock>
    SnoToggle begin_toggle(const SnoPolicy &policy, const Clock &clock) noexcept {
        std::uint64_t bits = look();
        const Word last = Word::of(bits);
        const std::int64_t unit = SnoUnits::at(clock()), safe = safe_.load(std::memory_order_relaxed);
        if (!SnoUnits::has(unit)) return {SnoVerdict::out_of_time, 0, 0, 0, 0};
        if (!last.is_ahead_of(unit, policy)) return {SnoVerdict::look_again, 0, 0, 0, 0};
        if (unit <= safe) return {SnoVerdict::behind, last.due_after(safe), 0, 0, 0};
        if (!word_.compare_exchange_strong(bits, last.stopped().bits(), std::memory_order_acq_rel))
            return {SnoVerdict::look_again, 0, 0, 0, 0};
        return {SnoVerdict::toggle, 0, unit, last.unit, toggles_.load(std::memory_order_relaxed) + 1};
    }

    // Takes the first id with the other bit. REQUIRES: no backend uses a limit from before the toggle any more.
    SnoPosition finish_toggle(const SnoBounds &bounds, const SnoToggle &toggle) noexcept {
        const Word first{toggle.unit, Word::low(toggle.toggles), 0, bounds.min};
        // The toggles first, or a snapshot might pair the old count with the new safe unit.
        toggles_.store(toggle.toggles, std::memory_order_relaxed);
        safe_.store(toggle.safe, std::memory_order_release);
        word_.store(first.bits(), std::memory_order_release);
        return taken(first).position;
    }

    // What must become durable when the horizon is advanced. False if the bit was toggled after `seen`: then look()
    // again, because that horizon may have been meant for the other bit.
    bool advanced(std::uint64_t seen, UnixNanos horizon, UsedUp &out) const noexcept {
        UsedUp now{};
        const Word last = steady(now);
        if (last.toggles != Word::of(seen).toggles || last.phase() == SnoPhase::stopped) return false;
        out = {horizon, now.safe, now.toggles};
        return true;
    }

    // Covers every id taken so far.
    UsedUp used_up() const noexcept {
        UsedUp now{};
        now.horizon = SnoUnits::start(steady(now).unit + 1);
        return now;
    }

    std::uint64_t toggles() const noexcept { return toggles_.load(std::memory_order_acquire); }

    // No id is taken from here until resume(). REQUIRES: the lock.
    UsedUp stop() noexcept {
        std::uint64_t bits = look();
        while (!word_.compare_exchange_weak(bits, Word::of(bits).stopped().bits(), std::memory_order_acq_rel)) {
        }
        return used_up();
    }

    // Starts from the durable state. Units up to the horizon count as used, so callers wait for a clock that is behind
    // it by no more than the policy's patience. REQUIRES: nobody takes an id meanwhile.
    void resume(const UsedUp &used_up) noexcept {
        const std::int64_t first = SnoUnits::first_after(used_up.horizon);
        start_from(first == 0 ? Word{} : Word{first - 1, 0, Word::kResumed, 0}, used_up.safe, used_up.toggles);
    }

private:
    using Word = SnoWord;
    struct Request {
        const SnoBounds &bounds;
        const SnoPolicy &policy;
        std::int64_t now;
        std::int64_t limit;
    };

    // Acquires and releases, as in core/timeline/timeline.hpp. To end a claim, mark it as ended, then stop() the
    // timeline. Then every id taken under the claim is visible, and a caller that takes an id later sees that the claim
    // has ended.
    bool exchange(std::uint64_t &bits, const Word &next) noexcept {
        return word_.compare_exchange_weak(bits, next.bits(), std::memory_order_acq_rel, std::memory_order_relaxed);
    }

    // The word, with the `safe` and `toggles` that belong to it.
    Word steady(UsedUp &used_up) const noexcept {
        for (;;) {
            const std::uint64_t bits = look();
            used_up.safe = safe_.load(std::memory_order_acquire);
            used_up.toggles = toggles_.load(std::memory_order_acquire);
            if (Word::low(used_up.toggles) == Word::of(bits).toggles && look() == bits) return Word::of(bits);
        }
    }

    static constexpr SnoDecision without(SnoVerdict verdict, std::int64_t due_unit = 0) noexcept {
        return {verdict, {}, due_unit};
    }
    static constexpr SnoDecision taken(const Word &word) noexcept {
        return {word.ahead == 0 ? SnoVerdict::make : SnoVerdict::wait,
                {word.unit, word.sequence, (word.toggles & 1) != 0},
                word.unit};
    }

    // Inlined, because a call would pass the decision through memory, which is a third of the cost of an id.
    [[gnu::always_inline]] SnoDecision decide(const Word &last, const Word &seen, const Request &request,
                                              Word &next) const noexcept {
        if (last.toggles != seen.toggles) return without(SnoVerdict::look_again);
        if (last.phase() == SnoPhase::stopped) return without(SnoVerdict::toggle);
        if (request.now <= last.unit && last.phase() == SnoPhase::resumed) return wait_for_start(last, request);
        if (last.is_ahead_of(request.now, request.policy)) return step_back(last, seen, request);
        const std::int64_t unit = std::max(request.now, last.unit + (last.is_used_up(request.bounds) ? 1 : 0));
        const std::int64_t ahead = unit - request.now;
        if (!SnoUnits::has(unit)) return without(SnoVerdict::out_of_time);
        if (ahead > request.policy.max_ahead) return without(SnoVerdict::full, unit - request.policy.max_ahead);
        if (unit >= request.limit) return without(SnoVerdict::at_limit, unit);
        next = last.next(request.bounds, unit, ahead);
        return taken(next);
    }

    SnoDecision wait_for_start(const Word &last, const Request &request) const noexcept {
        if (last.is_ahead_of(request.now, request.policy)) return step_back(last, last, request);
        return without(SnoVerdict::full, last.unit + 1);
    }

    // A caller that slept may have a reading of the clock that is older than the word.
    SnoDecision step_back(const Word &last, const Word &seen, const Request &request) const noexcept {
        if (!seen.is_ahead_of(request.now, request.policy)) return without(SnoVerdict::look_again);
        const std::int64_t safe = safe_.load(std::memory_order_relaxed);
        if (request.now > safe) return without(SnoVerdict::toggle);
        return without(SnoVerdict::behind, last.due_after(safe));
    }

    void start_from(Word word, std::int64_t safe, std::uint64_t toggles) noexcept {
        word.toggles = Word::low(toggles);
        safe_.store(safe, std::memory_order_relaxed);
        toggles_.store(toggles, std::memory_order_relaxed);
        word_.store(word.bits(), std::memory_order_release);
    }

    std::atomic<std::uint64_t> word_{0};
    std::atomic<std::int64_t> safe_{0};
    std::atomic<std::uint64_t> toggles_{0};
};

static_assert(sizeof(SnoTimeline) == 64 && std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace snowid::core
