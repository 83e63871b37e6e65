// The horizon of a sno generator, in its units.
#pragma once

#include <cstdint>

#include "core/clock/sno_units.hpp"
#include "core/timeline/horizon.hpp"

namespace snowid::core {

// When the last id is ahead of the clock, the horizon goes this far beyond it.
inline constexpr std::int64_t kSnoMarginNs = 2 * SnoUnits::kUnitNs;

// What the horizon must be before an id of this unit is issued now.
constexpr HorizonGoal sno_horizon_goal(UnixNanos now, std::int64_t unit, std::int64_t reserve_ns) noexcept {
    return horizon_goal(now, SnoUnits::start(unit + 1), kSnoMarginNs, reserve_ns);
}

}  // namespace snowid::core
