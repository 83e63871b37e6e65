// Converts between PostgreSQL's timestamps and Unix time.
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

}  // namespace snowid::pg
