// The time of a sno, in units of 4 ms since 2010, and its conversion to and from clocks and horizons.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/time.hpp"

namespace snowid::core {

struct SnoUnits {
    static constexpr std::int64_t kUnitNs = millis(4);
    static constexpr std::int64_t kEpochNs = 1'262'304'000'000'000'000;
    static constexpr int kBits = 39;
    static constexpr std::int64_t kEnd = 1LL << kBits;  // the first unit that no id can have

    // The unit that holds the instant; negative before the epoch. REQUIRES: an instant after 1719.
    static constexpr std::int64_t at(UnixNanos now) noexcept {
        const std::int64_t since = now.value - kEpochNs;
        if (since < 0) [[unlikely]]
            return floor_div(since, kUnitNs);
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(since) / kUnitNs);
    }
    static constexpr UnixNanos start(std::int64_t unit) noexcept { return {kEpochNs + unit * kUnitNs}; }
    static constexpr bool has(std::int64_t unit) noexcept { return unit >= 0 && unit < kEnd; }

    // The first unit that must not be made under this horizon.
    static constexpr std::int64_t limit_of(UnixNanos horizon) noexcept {
        return std::clamp<std::int64_t>(at(horizon), 0, kEnd);
    }
    // The first unit that no id made under this horizon can have.
    static constexpr std::int64_t first_after(UnixNanos horizon) noexcept {
        const std::int64_t unit = at(horizon);
        return std::clamp<std::int64_t>(start(unit) == horizon ? unit : unit + 1, 0, kEnd);
    }
};

// What the timeline decides about an id. The metabyte and the partition come from elsewhere.
struct SnoPosition {
    std::int64_t unit;
    std::uint32_t sequence;
    bool tick_tock;
};

}  // namespace snowid::core
