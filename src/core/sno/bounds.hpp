// The sequence numbers that a sno generator gives out within a unit of time: a pool, read from a configuration as the
// reference implementation reads it. Its smallest pool has 6 ids though it documents 4; here it has 4.
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
};

struct SnoSequence {
    SnoFault fault;
    SnoBounds bounds;
    std::uint32_t sequence;  // the last one that was given out; more than the largest if more were asked for
};

// A maximum of 0 is none, bounds may stand in either order, and a sequence of 0 is the smallest.
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
