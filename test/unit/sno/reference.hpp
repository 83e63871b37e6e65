// The bounds and the snapshot of the reference implementation. Configurations mean what they mean there, except that
// the smallest pool has 4 ids, as its documentation says, and not 6.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/clock/ticks.hpp"
#include "core/sno/timeline.hpp"

namespace snowid::core {

enum class SnoFault : std::uint8_t { none, identical, pool_too_small, underflow };

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

// What the reference calls drifts are toggles here.
struct SnoState {
    std::uint32_t sequence;
    std::int64_t wall_hi;
    std::int64_t wall_safe;
    std::uint64_t toggles;
};

inline SnoState state_of(const SnoTimeline &timeline, const SnoBounds &bounds, std::int64_t now) {
    const SnoWord word = SnoWord::of(timeline.look());
    const UsedUp used = timeline.used_up();
    const std::uint32_t last = word.phase() == SnoPhase::running ? word.sequence : bounds.max;
    return {now == word.unit ? last : bounds.min, word.unit, used.safe, used.toggles};
}

// The timeline goes on as if it had taken the state's last id.
inline void restore(SnoTimeline &timeline, const SnoState &state, const SnoBounds &bounds) {
    timeline.resume({SnoUnits::start(state.wall_hi), state.wall_safe, state.toggles});
    timeline.take_dated({std::min(state.sequence, bounds.max), bounds.max}, state.wall_hi, SnoUnits::kEnd);
}

}  // namespace snowid::core
