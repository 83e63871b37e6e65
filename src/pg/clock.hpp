// The clocks, as the impure input that the core is given. They are read through libc, where a test can replace them.
#pragma once

#include <ctime>

#include "core/time.hpp"

namespace snowid::pg {

inline std::int64_t read_clock_ns(clockid_t clock) noexcept {
    timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * std::int64_t{1'000'000'000} + t.tv_nsec;
}

inline core::UnixNanos wall_clock() noexcept { return {read_clock_ns(CLOCK_REALTIME)}; }
inline core::UnixMicros wall_clock_micros() noexcept { return {wall_clock().value / 1000}; }

// Elapsed time, which no one can set.
inline std::int64_t monotonic_ns() noexcept { return read_clock_ns(CLOCK_MONOTONIC); }

}  // namespace snowid::pg
