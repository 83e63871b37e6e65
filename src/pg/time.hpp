// PostgreSQL's timestamps as Unix time, and the clocks.
#pragma once

#include "core/time.hpp"
#include "pg/prelude.hpp"

extern "C" {
#include "utils/timestamp.h"
}

namespace snowid::pg {

inline constexpr std::int64_t kPostgresEpochMicros = (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * USECS_PER_DAY;

// A timestamp can hold 29 more years than Unix time in microseconds. Those times become the last instant before
// kAfterAll.
inline core::UnixMicros to_unix(TimestampTz t) noexcept {
    if (TIMESTAMP_IS_NOBEGIN(t)) return core::kBeforeAll;
    if (TIMESTAMP_IS_NOEND(t)) return core::kAfterAll;
    std::int64_t unix_us = 0;
    return {__builtin_add_overflow(t, kPostgresEpochMicros, &unix_us) ? INT64_MAX - 1 : unix_us};
}

inline TimestampTz to_timestamptz(core::UnixMicros t) noexcept {
    if (t == core::kBeforeAll) return DT_NOBEGIN;
    if (t == core::kAfterAll) return DT_NOEND;
    return t.value - kPostgresEpochMicros;
}

inline Datum interval_of_micros(std::int64_t us) {
    auto *interval = static_cast<Interval *>(palloc0(sizeof(Interval)));
    interval->time = us;
    return IntervalPGetDatum(interval);
}
inline Datum interval_of_ns(std::int64_t ns) { return interval_of_micros(ns / core::kNanosPerMicro); }

// The clocks. The core reads no clock itself; it gets the time from here. The clocks are read through libc, where tests
// can replace them.
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
