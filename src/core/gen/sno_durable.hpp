// What of a sno generator outlives the server.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/time.hpp"

namespace snowid::core {

// Every id that it issued with the bit of `drifts` is of a unit that has not begun
// by the horizon, and every id with the other bit of one that is not after `safe`.
struct SnoDurable {
    UnixNanos horizon;
    std::int64_t safe;
    std::uint64_t drifts;
};

// What holds of two that were found. A toggle starts the horizon of its bit anew, so that it may go back then.
constexpr SnoDurable later_of(const SnoDurable &a, const SnoDurable &b) noexcept {
    if (a.drifts != b.drifts) return a.drifts > b.drifts ? a : b;
    return {std::max(a.horizon, b.horizon), std::max(a.safe, b.safe), a.drifts};
}

}  // namespace snowid::core
