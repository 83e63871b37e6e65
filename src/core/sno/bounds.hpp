// The pool of sequence numbers that a sno generator gives out within a unit of time. Configurations mean what they mean
// in the reference implementation, except that the smallest pool has 4 ids, as its documentation says, and not 6.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/clock/ticks.hpp"

namespace snowid::core {

enum class SnoFault : std::uint8_t { none, identical, pool_too_small, underflow };

struct SnoBounds {
    static constexpr std::uint32_t kLargest = 0xFFFF;

    std::uint32_t min = 0;
    std::uint32_t max = kLargest;

    constexpr std::uint32_t capacity() const noexcept { return max - min + 1; }

    // For a batch: the last part of a unit is left to callers that want one id.
    constexpr SnoBounds batch_share() const noexcept { return {min, max - capacity() / 128}; }
};

struct SnoSequence {
    SnoFault fault;
    SnoBounds bounds;
    std::uint32_t sequence;  // the last one given out; above the largest if callers asked for more ids than there are
};

// A maximum of 0 means no maximum. The bounds may come in either order. A sequence of 0 means the smallest.
// REQUIRES: bounds of at most kLargest.
constexpr SnoSequence read_sno_bounds(std::uint32_t min, std::uint32_t max, std::uint32_t sequence) noexcept {
    if (max == 0 && min != SnoBounds::kLargest) max = SnoBounds::kLargest;
    if (min == max) return {SnoFault::identical, {min, max}, sequence};
    const SnoBounds bounds{std::min(min, max), std::max(min, max)};
    if (bounds.capacity() < kSmallestPool) return {SnoFault::pool_too_small, bounds, sequence};
    if (sequence == 0) sequence = bounds.min;
    return {sequence < bounds.min ? SnoFault::underflow : SnoFault::none, bounds, sequence};
}

}  // namespace snowid::core
