// Points in Unix time. Each unit is its own type, so two units never mix without a visible conversion.
#pragma once

#include <compare>
#include <cstdint>

namespace snowid::core {

// The time of a clock. Its range ends in 2262.
struct UnixNanos {
    std::int64_t value;
    friend constexpr auto operator<=>(const UnixNanos &, const UnixNanos &) noexcept = default;
};

// The time of an id. Its range ends in the year 294247.
struct UnixMicros {
    std::int64_t value;
    friend constexpr auto operator<=>(const UnixMicros &, const UnixMicros &) noexcept = default;
};

// Not instants: before and after every instant. No layout reaches them.
inline constexpr UnixMicros kBeforeAll{INT64_MIN};
inline constexpr UnixMicros kAfterAll{INT64_MAX};

// Durations.
inline constexpr std::int64_t kNanosPerMicro = 1'000;
inline constexpr std::int64_t kNanosPerMilli = 1'000'000;
inline constexpr std::int64_t kNanosPerSecond = 1'000'000'000;
inline constexpr std::int64_t kMicrosPerMilli = 1'000;
inline constexpr std::int64_t kMicrosPerSecond = 1'000'000;
inline constexpr std::int64_t kMicrosPerDay = 86'400 * kMicrosPerSecond;

// n milliseconds in nanoseconds.
constexpr std::int64_t millis(std::int64_t n) noexcept { return n * kNanosPerMilli; }

// Rounds towards minus infinity, as times before an epoch need. REQUIRES: d > 0.
constexpr std::int64_t floor_div(std::int64_t n, std::int64_t d) noexcept { return n / d - (n % d < 0); }

// The microsecond that holds the instant. Correct before 1970 too.
constexpr UnixMicros to_micros(UnixNanos t) noexcept { return {floor_div(t.value, kNanosPerMicro)}; }

// The first and the last whole microsecond in the range of UnixNanos.
inline constexpr UnixMicros kFirstInNanos{INT64_MIN / kNanosPerMicro};
inline constexpr UnixMicros kLastInNanos{INT64_MAX / kNanosPerMicro};

// REQUIRES: kFirstInNanos <= t <= kLastInNanos.
constexpr UnixNanos to_nanos(UnixMicros t) noexcept { return {t.value * kNanosPerMicro}; }

// How many of the ticks from 0 to `last` have begun at t. Tick n begins n * size after the epoch.
constexpr std::uint64_t ticks_until(UnixMicros epoch, std::int64_t size, std::uint64_t last, UnixMicros t) noexcept {
    if (t < epoch) return 0;
    const std::uint64_t since = static_cast<std::uint64_t>(t.value) - static_cast<std::uint64_t>(epoch.value);
    const std::uint64_t tick = since / static_cast<std::uint64_t>(size);
    return (tick < last ? tick : last) + 1;
}

// How many of them had begun before t.
constexpr std::uint64_t ticks_before(UnixMicros epoch, std::int64_t size, std::uint64_t last, UnixMicros t) noexcept {
    return t == kBeforeAll ? 0 : ticks_until(epoch, size, last, {t.value - 1});
}

}  // namespace snowid::core
