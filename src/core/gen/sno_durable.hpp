// What of a sno generator outlives the server.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/gen/horizon.hpp"
#include "core/gen/sno_units.hpp"

namespace snowid::core {

// How far beyond the last id the horizon goes, when that is ahead of the clock.
inline constexpr std::int64_t kSnoMarginNs = 2 * SnoUnits::kUnitNs;

// Every id that it issued with the bit of `drifts` is of a unit that has not begun
// by the horizon, and every id with the other bit of one that is not after `safe`.
struct SnoDurable {
    UnixNanos horizon;
    std::int64_t safe;
    std::uint64_t drifts;
};

// What holds of two that were found. A toggle starts the horizon of its bit anew, so that it may go back then.
constexpr SnoDurable later_of(const SnoDurable &a, const SnoDurable &b) noexcept {
    if (a.drifts != b.drifts) return a.drifts > b.drifts ? a : b;
    return {std::max(a.horizon, b.horizon), std::max(a.safe, b.safe), a.drifts};
}

// What the horizon must be for an id of this unit to be issued now.
constexpr HorizonGoal sno_horizon_goal(UnixNanos now, std::int64_t unit, std::int64_t reserve_ns) noexcept {
    return horizon_goal(now, SnoUnits::start(unit + 1), kSnoMarginNs, reserve_ns);
}

}  // namespace snowid::core
