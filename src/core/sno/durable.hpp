// What of a sno generator outlives the server.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/sno/units.hpp"
#include "core/timeline/horizon.hpp"

namespace snowid::core {

// How far beyond the last id the horizon goes, when that is ahead of the clock.
inline constexpr std::int64_t kSnoMarginNs = 2 * SnoUnits::kUnitNs;

// Every id that it issued with the bit of `drifts` is of a unit that has not begun
// by the horizon, and every id with the other bit of one that is not after `safe`.
struct SnoDurable {
    UnixNanos horizon;
    std::int64_t safe;
    std::uint64_t drifts;

    // Before the instant all is used, with either bit.
    static constexpr SnoDurable all_before(UnixNanos end) noexcept {
        return {end, std::max<std::int64_t>(SnoUnits::first_after(end) - 1, 0), 0};
    }

    // Whether a generator can be in this state: everything here can be worked out of it.
    constexpr bool is_sound() const noexcept {
        constexpr std::uint64_t kMostDrifts = 1'000'000'000;
        return horizon.value >= INT64_MIN + SnoUnits::kEpochNs && safe >= 0 && safe < SnoUnits::kEnd &&
               drifts <= kMostDrifts;
    }

    friend constexpr bool operator==(const SnoDurable &a, const SnoDurable &b) noexcept {
        return a.horizon.value == b.horizon.value && a.safe == b.safe && a.drifts == b.drifts;
    }
};

// What covers the ids of both. The bit is that of the one with more drifts.
constexpr SnoDurable merged(const SnoDurable &a, const SnoDurable &b) noexcept {
    const SnoDurable &later = a.drifts >= b.drifts ? a : b, &other = a.drifts >= b.drifts ? b : a;
    const bool same_bit = (later.drifts - other.drifts) % 2 == 0;
    const UnixNanos horizon = same_bit ? other.horizon : SnoUnits::start(other.safe + 1);
    const std::int64_t safe = same_bit ? other.safe : SnoUnits::first_after(other.horizon) - 1;
    return {std::max(later.horizon, horizon), std::max(later.safe, safe), later.drifts};
}

// What the horizon must be for an id of this unit to be issued now.
constexpr HorizonGoal sno_horizon_goal(UnixNanos now, std::int64_t unit, std::int64_t reserve_ns) noexcept {
    return horizon_goal(now, SnoUnits::start(unit + 1), kSnoMarginNs, reserve_ns);
}

}  // namespace snowid::core
