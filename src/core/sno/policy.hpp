// The pool of sequence numbers that a sno generator gives out within a unit of time, and how far it lets ids be ahead
// of the clock, and the clock be behind.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/clock/sno_units.hpp"

namespace snowid::core {

struct SnoBounds {
    static constexpr std::uint32_t kLargest = 0xFFFF;

    std::uint32_t min = 0;
    std::uint32_t max = kLargest;

    constexpr std::uint32_t capacity() const noexcept { return max - min + 1; }

    // For a batch: the last part of a unit is left to callers that want one id.
    constexpr SnoBounds batch_share() const noexcept { return {min, max - capacity() / 128}; }
};

// When the last id is ahead of the clock, the horizon goes this far beyond it.
inline constexpr std::int64_t kSnoMarginNs = 2 * SnoUnits::kUnitNs;

struct SnoPolicy {
    std::int64_t max_ahead;  // how many units ahead of the clock ids may be held; at most kMostAhead, 0 for batches
    std::int64_t patience;   // how many units behind a clock may be after a start and still count as right

    static constexpr std::int64_t kMostAhead = 13;

    // `callers` is how many callers may wait at once. Each can hold an id.
    static constexpr SnoPolicy of(std::int64_t wait_ns, std::int64_t reserve_ns, std::uint64_t callers,
                                  const SnoBounds &bounds) noexcept {
        const auto queue = static_cast<std::int64_t>((callers + bounds.capacity() - 1) / bounds.capacity());
        const std::int64_t ahead =
            std::clamp(std::max(wait_ns / SnoUnits::kUnitNs, queue), std::int64_t{1}, kMostAhead);
        const std::int64_t reserved = std::max(reserve_ns, ahead * SnoUnits::kUnitNs + kSnoMarginNs);
        return {ahead, reserved / SnoUnits::kUnitNs + 2};
    }
};

}  // namespace snowid::core
