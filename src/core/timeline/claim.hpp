// A claim is the set of ids that a generator may make, reduced to the bits below the time. Two generators can make the
// same id if, and only if, their claims overlap. Their layouts may differ, because claims are compared bit by bit.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/clock/ticks.hpp"

namespace snowid::core {

struct Claim {
    std::uint64_t fixed;  // bits that all its ids share; 0 in the sequence's field
    int shift;            // of the sequence's field
    int bits;
    SequenceRange sequences;

    constexpr std::uint64_t mask() const noexcept { return ((1ULL << bits) - 1) << shift; }
};

// REQUIRES: the layout has room for the numbers.
constexpr Claim claim_of(const Layout &layout, std::uint32_t worker, SequenceRange sequences) noexcept {
    return {layout.place_worker(worker), layout.sequence().shift, layout.sequence().bits, sequences};
}

// The numbers n for which `from + (n << step)` is in the range; min > max if there are none.
constexpr SequenceRange steps_within(SequenceRange range, std::uint64_t from, int step) noexcept {
    if (from > range.max) return {1, 0};
    const std::uint64_t below = range.min > from ? range.min - from : 0;
    return {(below + (1ULL << step) - 1) >> step, (range.max - from) >> step};
}

// An id in both claims has the fixed bits of both. Only bits that belong to both sequences can vary. A number counts
// through them, and each claim allows a range of that number.
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

// Whether a number of the range has these bits where the mask has ones. REQUIRES: the range is not empty.
constexpr bool any_has_bits(SequenceRange range, std::uint64_t mask, std::uint64_t bits) noexcept {
    if ((range.min & mask) == bits) return true;
    // A greater number first differs from the least one by a bit that is set. Below that, the least one that fits has
    // no other bits than it must.
    for (int i = 0; i < 63; ++i) {
        const std::uint64_t bit = 1ULL << i;
        if ((range.min & bit) != 0) continue;
        const std::uint64_t number = (range.min & ~(bit - 1)) | bit | (bits & (bit - 1));
        if (number <= range.max && (number & mask) == bits) return true;
    }
    return false;
}

// Whether a layout's ids of any worker in the range are in the claim. The range consists of few blocks of workers in
// which the low bits are free.
constexpr bool overlap(const Claim &claim, const Layout &layout, std::uint32_t first, std::uint32_t last) noexcept {
    for (std::uint64_t worker = first, size = 1; worker <= last; worker += size) {
        for (size = 1; worker % (2 * size) == 0 && worker + 2 * size - 1 <= last;) size *= 2;
        const std::uint64_t given = layout.place_worker(static_cast<std::uint32_t>(worker));
        const std::uint64_t free = layout.place_worker(static_cast<std::uint32_t>(size - 1)) |
                                   layout.sequence().place(layout.sequence().max());
        const std::uint64_t counted = claim.mask() & ~free;
        if (((claim.fixed ^ given) & ~claim.mask() & ~free) == 0 &&
            any_has_bits(claim.sequences, counted >> claim.shift, (given & counted) >> claim.shift))
            return true;
    }
    return false;
}

}  // namespace snowid::core
