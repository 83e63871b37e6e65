// Converts between PostgreSQL's timestamps and Unix time.
#pragma once

#include <cstdint>

#include "core/time.hpp"
#include "pg/prelude.hpp"

extern "C" {
#include "datatype/timestamp.h"
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

}  // namespace snowid::pg
