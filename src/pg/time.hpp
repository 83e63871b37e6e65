// PostgreSQL's timestamps and Unix time.
#pragma once

#include <cstdint>

#include "core/time.hpp"
#include "pg/prelude.hpp"

extern "C" {
#include "datatype/timestamp.h"
}

namespace snowid::pg {

inline constexpr std::int64_t kPostgresEpochMicros = (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * USECS_PER_DAY;

// Infinities, and the last 29 years that only a timestamp can hold, become the nearest instant.
inline core::UnixMicros to_unix(TimestampTz t) noexcept {
    if (TIMESTAMP_IS_NOBEGIN(t)) return {INT64_MIN};
    std::int64_t unix_us = 0;
    return {__builtin_add_overflow(t, kPostgresEpochMicros, &unix_us) ? INT64_MAX : unix_us};
}

inline TimestampTz to_timestamptz(core::UnixMicros t) noexcept { return t.value - kPostgresEpochMicros; }

}  // namespace snowid::pg
