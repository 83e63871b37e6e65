// How far a position may be ahead of the clock, and what to do about it. One table covers a clock that jumped back, a
// start below the horizon, and overload.
//
//     ahead <= 0                 make
//     ahead <= wait              wait for its tick, then make
//     ahead <= drift             make: time is logical here
//     ahead <= drift + wait      wait until it is at most drift ahead: this paces overload
//     ... and one tick more      full: waiting callers hold every position they may; wait and try again
//     more                       refuse: the clock is behind
//
// Callers take a position before they wait. So overload alone reaches `full` but never goes past it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "core/time.hpp"

namespace snowid::core {

// A caller that waits for the clock looks at it at least this often: someone may have set it forward.
inline constexpr std::int64_t kLongestSliceNs = millis(100);

enum class Verdict : std::uint8_t { make, wait, full, refuse, at_limit };

struct ClockPolicy {
    std::int64_t wait_ticks;
    std::int64_t drift_ticks;

    // `callers` is how many callers may wait at once. Each of them can hold a position. Positions held that way do not
    // mean that the clock is behind.
    static constexpr ClockPolicy of(std::int64_t wait_ns, std::int64_t drift_ns, std::int64_t tick_ns,
                                    std::uint64_t callers, std::uint64_t capacity) noexcept {
        const std::int64_t queue = static_cast<std::int64_t>((callers + capacity - 1) / capacity);
        return {std::max({wait_ns / tick_ns, queue, std::int64_t{1}}), drift_ns / tick_ns};
    }

    // Issues a position however far ahead it is.
    static constexpr ClockPolicy none() noexcept { return {0, std::numeric_limits<std::int64_t>::max() / 2}; }

    constexpr ClockPolicy with_more_drift(std::int64_t ticks) const noexcept {
        return {wait_ticks, drift_ticks + ticks};
    }

    constexpr Verdict judge(std::int64_t ahead) const noexcept {
        if (ahead <= 0) [[likely]]
            return Verdict::make;
        if (ahead <= wait_ticks) return Verdict::wait;
        if (ahead <= drift_ticks) return Verdict::make;
        if (ahead <= drift_ticks + ticks_past_drift()) return Verdict::wait;
        if (ahead <= drift_ticks + ticks_past_drift() + 1) return Verdict::full;
        return Verdict::refuse;
    }

    // How much further than the drift callers take positions, before they wait.
    constexpr std::int64_t ticks_past_drift() const noexcept { return wait_ticks; }

    // Whether a batch that has had its share of a tick waits for the next one, and leaves the rest to other callers.
    // While ids are ahead of the clock, it takes one at a time, so that it does not carry everyone further ahead.
    constexpr bool batch_waits(std::int64_t ahead) const noexcept { return ahead == 0 || ahead > wait_ticks; }

    // How far ahead a position may still be when the wait for it is over.
    constexpr std::int64_t allowed_ahead(std::int64_t ahead) const noexcept {
        return ahead <= wait_ticks ? 0 : drift_ticks;
    }
};

}  // namespace snowid::core
