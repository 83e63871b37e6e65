// Points in Unix time. Every unit is a type of its own, so that no two of them mix without a conversion that can be
// seen.
#pragma once

#include <compare>
#include <cstdint>

namespace snowid::core {

// What a clock says. Its range ends in 2262.
struct UnixNanos {
    std::int64_t value;
    friend constexpr auto operator<=>(const UnixNanos &, const UnixNanos &) noexcept = default;
};

// What an id says. Its range ends in the year 294247.
struct UnixMicros {
    std::int64_t value;
    friend constexpr auto operator<=>(const UnixMicros &, const UnixMicros &) noexcept = default;
};

// Rounds towards minus infinity, as time before an epoch needs it. REQUIRES: d > 0.
constexpr std::int64_t floor_div(std::int64_t n, std::int64_t d) noexcept { return n / d - (n % d < 0); }

}  // namespace snowid::core
