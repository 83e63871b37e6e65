// How far a position may be ahead of the clock, and what is done about it: one table for a clock that jumped back, for
// a start below the horizon, and for overload.
//
//     ahead <= 0                 issue
//     ahead <= wait              wait for its tick, then issue
//     ahead <= drift             issue: logical time
//     ahead <= drift + wait      wait until it is no more than drift ahead: overload is paced here
//     ... and one tick more      full: overload has taken all that may be held; wait, and try again
//     more                       refuse: the clock is behind
//
// Callers take a position before they wait, so overload alone brings them to `full` and never past it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/time.hpp"

namespace snowid::core {

// A caller that waits for the clock looks at it at least this often: someone may have set it forward.
inline constexpr std::int64_t kLongestSliceNs = millis(100);

enum class Verdict : std::uint8_t { issue, wait, full, refuse, at_limit };

struct ClockPolicy {
    std::int64_t wait_ticks;
    std::int64_t drift_ticks;

    // `callers` is how many may wait at once: each can hold a position, and to hold one is not to be ahead of the
    // clock.
    static constexpr ClockPolicy of(std::int64_t wait_ns, std::int64_t drift_ns, std::int64_t tick_ns,
                                    std::uint64_t callers, std::uint64_t capacity) noexcept {
        const std::int64_t queue = static_cast<std::int64_t>((callers + capacity - 1) / capacity);
        return {std::max({wait_ns / tick_ns, queue, std::int64_t{1}}), drift_ns / tick_ns};
    }

    constexpr ClockPolicy with_more_drift(std::int64_t ticks) const noexcept {
        return {wait_ticks, drift_ticks + ticks};
    }

    constexpr Verdict judge(std::int64_t ahead) const noexcept {
        if (ahead <= 0) [[likely]]
            return Verdict::issue;
        if (ahead <= wait_ticks) return Verdict::wait;
        if (ahead <= drift_ticks) return Verdict::issue;
        if (ahead <= drift_ticks + wait_ticks) return Verdict::wait;
        if (ahead <= drift_ticks + wait_ticks + 1) return Verdict::full;
        return Verdict::refuse;
    }

    // How far ahead a position that must wait may still be when it is issued.
    constexpr std::int64_t allowed_ahead(std::int64_t ahead) const noexcept {
        return ahead <= wait_ticks ? 0 : drift_ticks;
    }
};

}  // namespace snowid::core
