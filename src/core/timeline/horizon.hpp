// The horizon is an instant, kept durably: no id that was ever issued is of a tick that has not begun by then. Whoever
// wants to issue beyond it raises it first; whoever starts from what is durable starts at it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/clock/ticks.hpp"

namespace snowid::core {

// The first position that must not be taken under this horizon.
constexpr std::uint64_t limit_of(const Ticks &ticks, UnixNanos horizon) noexcept {
    return std::min(ticks.first(ticks.at(horizon)), ticks.end());
}

// The position to start after, so that the next one is in a tick that no id under this horizon can be of.
constexpr std::uint64_t start_after(const Ticks &ticks, UnixNanos horizon) noexcept {
    const std::int64_t tick = ticks.at(horizon);
    const std::uint64_t first = ticks.first(ticks.start(tick) == horizon ? tick : tick + 1);
    return first == 0 ? 0 : first - 1;
}

struct HorizonGoal {
    UnixNanos enough;  // a horizon that someone else has raised this far needs no more
    UnixNanos target;  // how far to raise it if not
};

// How far beyond the last position the horizon goes, when that is ahead of the clock.
constexpr std::int64_t horizon_margin_ns(const Ticks &ticks) noexcept { return std::max(millis(5), ticks.tick_ns()); }

// How far ahead of the clock a start can be although the clock is right: by what the last incarnation had reserved
// beyond a position at the ceiling of the policy, in whole ticks.
constexpr std::int64_t start_lead_ns(const Ticks &ticks, std::int64_t wait_ns, std::int64_t reserve_ns) noexcept {
    return std::max(reserve_ns, wait_ns + ticks.tick_ns() + horizon_margin_ns(ticks)) + 2 * ticks.tick_ns();
}

// What a start may be ahead of the clock beyond the policy's drift: all of its lead at first, and nothing once the
// clock has reached the horizon that it started from. It shrinks at half the clock's pace, so that whoever was within
// it stays within it, and overload at the start is refused no more than at any other time.
constexpr std::int64_t start_allowance_ns(std::int64_t lead_ns, std::int64_t until_start_ns) noexcept {
    return std::clamp<std::int64_t>(until_start_ns / 2, 0, lead_ns);
}

// What the horizon must be for an id whose tick ends at `after` to be issued now. Without more than the margin beyond
// one that is ahead of the clock, or crashes in a row would carry the ids away from it.
constexpr HorizonGoal horizon_goal(UnixNanos now, UnixNanos after, std::int64_t margin_ns,
                                   std::int64_t reserve_ns) noexcept {
    return {{std::max(now.value + reserve_ns / 2, after.value + margin_ns / 2)},
            {std::max(now.value + reserve_ns, after.value + margin_ns)}};
}

constexpr HorizonGoal horizon_goal(const Ticks &ticks, UnixNanos now, std::uint64_t position,
                                   std::int64_t reserve_ns) noexcept {
    return horizon_goal(now, ticks.start(ticks.tick_of(position) + 1), horizon_margin_ns(ticks), reserve_ns);
}

}  // namespace snowid::core
