// How far the ids of a generator are used up. This must outlive the server. A snowflake generator needs only the
// horizon. A sno generator makes ids with both tick-tock bits, and each bit is used up to its own time.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/clock/sno_units.hpp"

namespace snowid::core {

// Every id with the generator's present bit has a unit that begins before the horizon. Every id with the other bit has
// a unit up to `safe`. The present bit is the lowest bit of `toggles`, which counts how often the bit was toggled.
struct UsedUp {
    UnixNanos horizon;
    std::int64_t safe;
    std::uint64_t toggles;

    // All ids before the instant, with either bit.
    static constexpr UsedUp all_before(UnixNanos end) noexcept {
        return {end, std::max<std::int64_t>(SnoUnits::first_after(end) - 1, 0), 0};
    }

    // Whether a generator can be in this state. Nothing here overflows for a sound state.
    constexpr bool is_sound() const noexcept { return *this == nearest_sound(); }

    // A state that a generator can be in. It covers as much of what this one says as a generator can have used.
    constexpr UsedUp nearest_sound() const noexcept {
        constexpr std::uint64_t kMostToggles = 1'000'000'000'000'000'000;
        return {{std::max(horizon.value, INT64_MIN + SnoUnits::kEpochNs)},
                std::clamp<std::int64_t>(safe, 0, SnoUnits::kEnd - 1),
                toggles <= kMostToggles ? toggles : kMostToggles + toggles % 2};
    }

    // The same with either bit, for callers that do not know which bit is meant.
    constexpr UsedUp with_either_bit() const noexcept {
        return all_before(std::max(horizon, SnoUnits::start(safe + 1)));
    }

    // The same with so few toggles that a generator that starts from it never reaches an unsound state.
    constexpr UsedUp with_few_toggles() const noexcept {
        constexpr std::uint64_t kFew = 1'000'000'000;
        return {horizon, safe, toggles <= kFew ? toggles : kFew + toggles % 2};
    }

    friend constexpr bool operator==(const UsedUp &a, const UsedUp &b) noexcept {
        return a.horizon.value == b.horizon.value && a.safe == b.safe && a.toggles == b.toggles;
    }
};

// Covers the ids of both. The bit is that of the state with more toggles.
constexpr UsedUp merged(const UsedUp &a, const UsedUp &b) noexcept {
    const UsedUp &later = a.toggles >= b.toggles ? a : b, &other = a.toggles >= b.toggles ? b : a;
    const bool same_bit = (later.toggles - other.toggles) % 2 == 0;
    const UnixNanos horizon = same_bit ? other.horizon : SnoUnits::start(other.safe + 1);
    const std::int64_t safe = same_bit ? other.safe : SnoUnits::first_after(other.horizon) - 1;
    return {std::max(later.horizon, horizon), std::max(later.safe, safe), later.toggles};
}

}  // namespace snowid::core
