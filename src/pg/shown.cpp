#include "pg/shown.hpp"

#include "pg/time.hpp"

extern "C" {
#include "utils/timestamp.h"
}

namespace snowid::pg {

const char *shown_time(core::UnixNanos t) { return pstrdup(timestamptz_to_str(to_timestamptz(core::to_micros(t)))); }

const char *shown_duration(std::int64_t ns) {
    if (ns < 10 * core::kNanosPerSecond) return psprintf(INT64_FORMAT " ms", ns / core::kNanosPerMilli);
    return psprintf(INT64_FORMAT " s", ns / core::kNanosPerSecond);
}

}  // namespace snowid::pg
