// A claim: the ids that a generator may make, as far as the bits below the time go. Two generators can make the same id
// if, and only if, their claims overlap, whatever layouts they are of: the bits below the time are compared as bits.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/clock/ticks.hpp"

namespace snowid::core {

struct Claim {
    std::uint64_t fixed;  // the bits that all of its ids have; none where the sequence is
    int shift;            // of the sequence's field
    int bits;
    SequenceRange sequences;

    constexpr std::uint64_t mask() const noexcept { return ((1ULL << bits) - 1) << shift; }
};

// REQUIRES: the numbers are within the layout.
constexpr Claim claim_of(const Layout &layout, std::uint32_t worker, SequenceRange sequences) noexcept {
    return {layout.place_worker(worker), layout.sequence().shift, layout.sequence().bits, sequences};
}

// The numbers n for which `from + (n << step)` is in the range; min > max if there is none.
constexpr SequenceRange steps_within(SequenceRange range, std::uint64_t from, int step) noexcept {
    if (from > range.max) return {1, 0};
    const std::uint64_t below = range.min > from ? range.min - from : 0;
    return {(below + (1ULL << step) - 1) >> step, (range.max - from) >> step};
}

// An id of both has the fixed bits of either; what varies are the bits that are of both sequences, counted by a number.
constexpr bool overlap(const Claim &a, const Claim &b) noexcept {
    const std::uint64_t fixed_in_both = ~a.mask() & ~b.mask();
    if (((a.fixed ^ b.fixed) & fixed_in_both) != 0) return false;
    const int low = std::max(a.shift, b.shift), high = std::min(a.shift + a.bits, b.shift + b.bits);
    const std::uint64_t count = high > low ? 1ULL << (high - low) : 1;
    const std::uint64_t a_from = (b.fixed & a.mask()) >> a.shift, b_from = (a.fixed & b.mask()) >> b.shift;
    const SequenceRange in_a = steps_within(a.sequences, a_from, high > low ? low - a.shift : 0);
    const SequenceRange in_b = steps_within(b.sequences, b_from, high > low ? low - b.shift : 0);
    return std::max(in_a.min, in_b.min) <= std::min({in_a.max, in_b.max, count - 1});
}

}  // namespace snowid::core
