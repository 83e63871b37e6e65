// The horizon is a durable instant: every id made so far has a tick that begins before it. To make an id beyond the
// horizon, a backend advances it first. After a restart, ids start at the horizon.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/clock/policy.hpp"
#include "core/clock/ticks.hpp"

namespace snowid::core {

// The first position that must not be taken under this horizon.
constexpr std::uint64_t limit_of(const Ticks &ticks, UnixNanos horizon) noexcept {
    return std::min(ticks.first(ticks.at(horizon)), ticks.end());
}

// The position to start after. The next position is then in a tick that no id made under this horizon can have.
constexpr std::uint64_t start_after(const Ticks &ticks, UnixNanos horizon) noexcept {
    const std::int64_t tick = ticks.at(horizon);
    const std::uint64_t first = ticks.first(ticks.start(tick) == horizon ? tick : tick + 1);
    return first == 0 ? 0 : first - 1;
}

struct HorizonGoal {
    UnixNanos enough;  // if another backend has advanced the horizon this far, leave it
    UnixNanos target;  // otherwise advance it this far
};

// When the last position is ahead of the clock, the horizon goes this far beyond it.
constexpr std::int64_t horizon_margin_ns(const Ticks &ticks) noexcept { return std::max(millis(5), ticks.tick_ns()); }

// How much further than the drift ids can start ahead of the clock although the clock is right. The previous
// incarnation may have taken a position as far ahead as the policy lets it, and have gone the margin beyond it, in
// whole ticks.
constexpr std::int64_t start_lead_ns(const Ticks &ticks, const ClockPolicy &policy, std::int64_t reserve_ns) noexcept {
    const std::int64_t taken_ns = (policy.ticks_past_drift() + 1) * ticks.tick_ns();
    return std::max(reserve_ns, taken_ns + horizon_margin_ns(ticks)) + 2 * ticks.tick_ns();
}

// How far ids may be ahead of the clock after a start, on top of the policy's drift: the whole lead at first, and
// nothing once the clock has reached the horizon of the start. The allowance shrinks at half the clock's pace. So a
// caller within it stays within it, and overload is not refused more often after a start than at other times.
constexpr std::int64_t start_allowance_ns(std::int64_t lead_ns, std::int64_t until_start_ns) noexcept {
    return std::clamp<std::int64_t>(until_start_ns / 2, 0, lead_ns);
}

// A horizon that is less than this ahead of the clock is due.
constexpr std::int64_t due_ns(std::int64_t reserve_ns) noexcept { return reserve_ns / 2; }

// One that is less than this ahead joins any other that is due. So halfway from a full reserve to when it would be due
// itself, and few groups remain.
constexpr std::int64_t nearly_due_ns(std::int64_t reserve_ns) noexcept {
    return due_ns(reserve_ns) + (reserve_ns - due_ns(reserve_ns)) / 2;
}

// What the horizon must be before an id whose tick ends at `after` is made now. For an id that is ahead of the clock,
// only the margin is reserved beyond it. If more were reserved, a series of crashes would carry ids further and further
// ahead.
constexpr HorizonGoal horizon_goal(UnixNanos now, UnixNanos after, std::int64_t margin_ns,
                                   std::int64_t reserve_ns) noexcept {
    return {{std::max(now.value + due_ns(reserve_ns), after.value + due_ns(margin_ns))},
            {std::max(now.value + reserve_ns, after.value + margin_ns)}};
}

constexpr std::uint64_t halfway(std::uint64_t position, std::uint64_t limit) noexcept {
    return limit > position ? position + (limit - position) / 2 : limit;
}

// From which position on to ask for a higher limit: from when the horizon is due, until which the clock passes that
// many more. Positions keep their distance to the clock. If they are far ahead of it, halfway to the limit comes first.
constexpr std::uint64_t soft_limit(std::uint64_t position, std::uint64_t limit, std::uint64_t until_due) noexcept {
    return std::min(halfway(position, limit), position + until_due);
}

inline constexpr std::int64_t kLongestGivenReserveNs = 3600 * kNanosPerSecond;

// How much is reserved beyond a given time: about what the next thousand ids take, if they are as far apart as those
// `issued` since the last time, of which `last_ns` was reserved. That is at most twice as much as the last time, and at
// most an hour, because after a crash all times within it move up. It passes the end, which is the clock's time unless
// times of the future may be given, by no more than `base_ns`.
constexpr std::int64_t given_reserve_ns(std::int64_t last_ns, std::int64_t issued, std::int64_t base_ns,
                                        std::int64_t until_end_ns) noexcept {
    constexpr std::int64_t kIds = 1000;
    const std::int64_t next_ns = last_ns / std::max(issued, kIds / 2) * kIds;
    return std::max(base_ns, std::min({next_ns, kLongestGivenReserveNs, until_end_ns}));
}

// How far the horizon of given times may be ahead of the clock, unless times of the future may be given: past the last
// time that may be given, and what is reserved beyond it. Neither is more than the drift. A generator whose last ids
// may be lost goes on this far ahead of the clock, above all of them.
constexpr std::int64_t given_lead_ns(const Ticks &ticks, std::int64_t drift_ns) noexcept {
    return 2 * (drift_ns + std::max(millis(10), ticks.tick_ns()));
}

}  // namespace snowid::core
