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

#include "core/sno/policy.hpp"

namespace snowid::core {

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
