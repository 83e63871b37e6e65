// The state of a generator of snos in one word:
//
//     63                    25        20       16             0
//     |  unit, 39            | toggles | ahead   |  sequence    |
//
// `unit` and `sequence` are those of the last id taken. They only grow while `toggles` stays the same. The word holds
// the low five bits of the number of toggles, and the lowest of these is the tick-tock bit.
//
// `ahead` is how many units the last id was ahead of the clock when it was taken. A caller takes its id before it
// waits, so the word may run this far ahead of a clock that is right. A clock that is further behind has stepped back.
// Callers that hold an id get it in the order in which they asked. When no more ids may be held, a caller waits without
// one and may be overtaken.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/clock/sno_units.hpp"

namespace snowid::core {

// The pool of sequence numbers that a sno generator gives out within a unit of time, and how far it lets ids be ahead
// of the clock, and the clock be behind.
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

enum class SnoPhase : std::uint8_t { running, resumed, stopped };

struct SnoWord {
    static constexpr std::uint32_t kResumed = SnoPolicy::kMostAhead + 1, kStopped = 15;  // instead of an `ahead`

    std::int64_t unit;
    std::uint32_t toggles;
    std::uint32_t ahead;
    std::uint32_t sequence;

    static constexpr SnoWord of(std::uint64_t bits) noexcept {
        return {static_cast<std::int64_t>(bits >> 25), static_cast<std::uint32_t>(bits >> 20 & 31),
                static_cast<std::uint32_t>(bits >> 16 & 15), static_cast<std::uint32_t>(bits & 0xFFFF)};
    }
    constexpr std::uint64_t bits() const noexcept {
        return static_cast<std::uint64_t>(unit) << 25 | std::uint64_t{toggles} << 20 | std::uint64_t{ahead} << 16 |
               sequence;
    }
    constexpr SnoPhase phase() const noexcept {
        if (ahead < kResumed) [[likely]]
            return SnoPhase::running;
        return ahead == kResumed ? SnoPhase::resumed : SnoPhase::stopped;
    }
    constexpr std::int64_t clock() const noexcept { return unit - ahead; }  // REQUIRES: phase running
    constexpr bool is_used_up(const SnoBounds &bounds) const noexcept {
        return ahead >= kResumed || sequence >= bounds.max;
    }
    constexpr SnoWord next(const SnoBounds &bounds, std::int64_t to, std::int64_t lead) const noexcept {
        const std::uint32_t first = to == unit ? std::max(sequence + 1, bounds.min) : bounds.min;
        return {to, toggles, static_cast<std::uint32_t>(lead), first};
    }
    constexpr SnoWord stopped() const noexcept { return {unit, toggles, kStopped, sequence}; }
    // Whether the clock has stepped back since: it is behind what it was when the id was taken.
    constexpr bool is_ahead_of(std::int64_t now, const SnoPolicy &policy) const noexcept {
        if (phase() == SnoPhase::resumed) return now < unit - policy.patience;
        return now < clock();
    }
    // The unit at which the clock has passed the ids that were made, or at which the bit may be toggled.
    constexpr std::int64_t due_after(std::int64_t safe) const noexcept {
        if (phase() == SnoPhase::running) return std::min(clock(), safe + 1);
        return phase() == SnoPhase::resumed ? std::min(unit + 1, safe + 1) : safe + 1;
    }

    static constexpr std::uint32_t low(std::uint64_t all_toggles) noexcept {
        return static_cast<std::uint32_t>(all_toggles & 31);
    }
};

}  // namespace snowid::core
