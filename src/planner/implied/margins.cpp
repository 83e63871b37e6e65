// The ends of the times that a value can stand for, in the session's zone or any other. Beyond all times they are
// infinite, so no comparison with them raises an error or loses a row.
#include "core/time.hpp"

#include "pg/function.hpp"
#include "planner/implied/local_time.hpp"

extern "C" {
#include "datatype/timestamp.h"
#include "pgtime.h"
#include "utils/date.h"
#include "utils/fmgrprotos.h"
#include "utils/timestamp.h"
}

using namespace snowid::planner;
using snowid::core::kMicrosPerDay;

namespace {

// Any zone can be added to these without leaving what a timestamp holds. One that is spelled out can be of 167 hours.
constexpr Timestamp kFirst = MIN_TIMESTAMP + 8 * kMicrosPerDay, kLast = END_TIMESTAMP - 8 * kMicrosPerDay;

// One end of the times that a value may stand for.
struct End {
    bool is_earliest;
    std::int64_t margin;

    // The nearest time to which a zone and the margin can be added, on the side that loses no row.
    Timestamp held(Timestamp t) const { return is_earliest ? std::min(t, kLast) : std::max(t, kFirst); }
    bool is_beyond(Timestamp t) const { return is_earliest ? t < kFirst : t > kLast; }
    Timestamp infinity() const { return is_earliest ? DT_NOBEGIN : DT_NOEND; }

    Timestamp of(Timestamp given) const {
        Timestamp t = held(given);
        if (margin != 0 && !is_real_zone(session_timezone)) return infinity();
        if (is_beyond(t) ||
            (is_earliest ? __builtin_sub_overflow(t, margin, &t) : __builtin_add_overflow(t, margin, &t)))
            return infinity();
        return is_beyond(t) ? infinity() : t;
    }

    Timestamp of_local(Timestamp given, bool as_utc) const {
        const Timestamp t = held(given);
        if (as_utc || is_beyond(t)) return of(t);
        return of(DatumGetTimestampTz(DirectFunctionCall1(timestamp_timestamptz, TimestampGetDatum(t))));
    }
};

// Infinite for days that no timestamp holds.
Timestamp midnight_of(DateADT date) {
    std::int64_t t = 0;
    if (__builtin_mul_overflow(std::int64_t{date}, kMicrosPerDay, &t)) return date < 0 ? DT_NOBEGIN : DT_NOEND;
    return t;
}

template <bool is_earliest>
Datum end_of_timestamptz(FunctionCallInfo fcinfo) {
    const End end{is_earliest, PG_GETARG_INT64(1)};
    return TimestampTzGetDatum(end.of(PG_GETARG_TIMESTAMPTZ(0)));
}

template <bool is_earliest>
Datum end_of_timestamp(FunctionCallInfo fcinfo) {
    const End end{is_earliest, PG_GETARG_INT64(1)};
    return TimestampTzGetDatum(end.of_local(PG_GETARG_TIMESTAMP(0), PG_GETARG_BOOL(2)));
}

template <bool is_earliest>
Datum end_of_date(FunctionCallInfo fcinfo) {
    const End end{is_earliest, PG_GETARG_INT64(1)};
    return TimestampTzGetDatum(end.of_local(midnight_of(PG_GETARG_DATEADT(0)), PG_GETARG_BOOL(2)));
}

}  // namespace

SNOWID_FUNCTION(snowid_time_earliest) { return end_of_timestamptz<true>(fcinfo); }
SNOWID_FUNCTION(snowid_time_latest) { return end_of_timestamptz<false>(fcinfo); }
SNOWID_FUNCTION(snowid_time_earliest_local) { return end_of_timestamp<true>(fcinfo); }
SNOWID_FUNCTION(snowid_time_latest_local) { return end_of_timestamp<false>(fcinfo); }
SNOWID_FUNCTION(snowid_time_earliest_date) { return end_of_date<true>(fcinfo); }
SNOWID_FUNCTION(snowid_time_latest_date) { return end_of_date<false>(fcinfo); }
