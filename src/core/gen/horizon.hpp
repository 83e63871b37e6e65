// The horizon is an instant, kept durably: no id that was ever issued is of a tick that has not begun by then. Whoever
// wants to issue beyond it raises it first; whoever starts from what is durable starts at it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/gen/ticks.hpp"

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

// What the horizon must be for `position` to be taken now. Without more than a few milliseconds beyond a position that
// is ahead of the clock, or crashes in a row would carry the ids away from it.
constexpr HorizonGoal horizon_goal(const Ticks &ticks, UnixNanos now, std::uint64_t position,
                                   std::int64_t reserve_ns) noexcept {
    constexpr std::int64_t kMarginNs = 5'000'000;
    const std::int64_t after = ticks.start(ticks.tick_of(position) + 1).value;
    const std::int64_t margin = std::max(kMarginNs, ticks.tick_ns());
    return {{std::max(now.value + reserve_ns / 2, after + margin / 2)},
            {std::max(now.value + reserve_ns, after + margin)}};
}

}  // namespace snowid::core
