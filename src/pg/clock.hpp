// The clocks. The core reads no clock itself; it gets the time from here. The clocks are read through libc, where tests
// can replace them.
#pragma once

#include <ctime>

#include "core/time.hpp"

namespace snowid::pg {

inline std::int64_t read_clock_ns(clockid_t clock) noexcept {
    timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * core::kNanosPerSecond + t.tv_nsec;
}

inline core::UnixNanos wall_clock() noexcept { return {read_clock_ns(CLOCK_REALTIME)}; }
inline core::UnixMicros wall_clock_micros() noexcept { return to_micros(wall_clock()); }

// Elapsed time. Nobody can set it.
inline std::int64_t monotonic_ns() noexcept { return read_clock_ns(CLOCK_MONOTONIC); }

// The same, and it goes on while the machine is suspended.
inline std::int64_t boot_ns() noexcept { return read_clock_ns(CLOCK_BOOTTIME); }

// Wall time minus elapsed time. Elapsed time includes the time while the machine was suspended. Both clocks are read
// within a fraction of a millisecond of each other, unless a busy machine prevents that ten times.
inline std::int64_t clock_offset_ns() noexcept {
    std::int64_t offset = 0;
    for (int tries = 0; tries < 10; ++tries) {
        const std::int64_t before = boot_ns();
        offset = wall_clock().value - before;
        if (boot_ns() - before < 200'000) break;
    }
    return offset;
}

}  // namespace snowid::pg
