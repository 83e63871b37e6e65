// The ticks of ids that random bits make unique: 1/4096 of a millisecond, counted from 1970 and rounded down (RFC 9562
// section 6.2 method 3). A tick holds one position, so a position is a tick.
//
//     63                            12                 0
//     |  Unix time in ms             |  fraction of it |
#pragma once

#include <cstdint>

#include "core/status.hpp"
#include "core/time.hpp"

namespace snowid::core {

struct Uuid7Ticks {
    static constexpr int kFractionBits = 12;
    static constexpr std::uint64_t kPerMs = 1U << kFractionBits;
    static constexpr std::uint64_t kEnd = 1ULL << (48 + kFractionBits);  // the first tick past 48 bits of time

    // The tick that holds the instant; negative before 1970.
    static constexpr std::int64_t at(UnixNanos now) noexcept { return in_ns(now.value); }
    // The first instant of the tick. REQUIRES: that instant is in the range of UnixNanos.
    static constexpr UnixNanos start(std::int64_t tick) noexcept {
        return {floor_div(tick, 64) * kNsPer64 + (mod(tick, 64) * kNsPer64 + 63) / 64};
    }
    // How many whole ticks fit into this many nanoseconds.
    static constexpr std::int64_t in_ns(std::int64_t ns) noexcept {
        return floor_div(ns, kNsPer64) * 64 + mod(ns, kNsPer64) * 64 / kNsPer64;
    }

    static constexpr std::uint64_t ms_of(std::uint64_t position) noexcept { return position >> kFractionBits; }
    static constexpr std::uint64_t fraction_of(std::uint64_t position) noexcept { return position & (kPerMs - 1); }

    // The position of an id whose time comes from the caller, not from the clock.
    static constexpr Status position_of(UnixMicros t, std::uint64_t &position) noexcept {
        return shift(0, t.value, position);
    }

    // Adds the same number of ticks to every position, so shifted ids keep their order.
    static constexpr Status shift(std::uint64_t position, std::int64_t us, std::uint64_t &shifted) noexcept {
        if (position >= kEnd || us <= -kSpanUs || us >= kSpanUs) return Status::out_of_range;
        const std::int64_t ticks = floor_div(us, kUsPer512) * 512 + mod(us, kUsPer512) * 512 / kUsPer512;
        const std::int64_t sum = static_cast<std::int64_t>(position) + ticks;
        if (sum < 0 || static_cast<std::uint64_t>(sum) >= kEnd) return Status::out_of_range;
        shifted = static_cast<std::uint64_t>(sum);
        return Status::ok;
    }

private:
    static constexpr std::int64_t kNsPer64 = 15'625;  // nanoseconds in 64 ticks
    static constexpr std::int64_t kUsPer512 = 125;
    static constexpr std::int64_t kSpanUs = (1LL << 48) * kMicrosPerMilli;

    static constexpr std::int64_t mod(std::int64_t n, std::int64_t d) noexcept { return n - floor_div(n, d) * d; }
};

}  // namespace snowid::core
