// UUIDv7: functions for PostgreSQL's own type uuid.
#include "core/id/uuid7.hpp"

#include "server/generator/random_ids.hpp"
#include "types/wide_type.hpp"

extern "C" {
#include "utils/fmgrprotos.h"
}

using namespace snowid::core;
using namespace snowid::pg;
using namespace snowid::server;

template <>
bool snowid::pg::read_time(const Uuid7 &id, UnixMicros &t) {
    t = id.time();
    return id.is_version7();
}

namespace {

// Days and months have no fixed length until they are added to a date. A shift without days and months is the same for
// every position.
std::int64_t shift_of(const Interval *shift, std::uint64_t position) {
    if (shift->month == 0 && shift->day == 0) return shift->time;
    const std::uint64_t ms = Uuid7Ticks::ms_of(position);
    const TimestampTz now = to_timestamptz(MillisField::time_of(ms));
    const TimestampTz shifted = DatumGetTimestampTz(
        DirectFunctionCall2(timestamptz_pl_interval, TimestampTzGetDatum(now), IntervalPGetDatum(shift)));
    std::int64_t difference = 0;
    if (TIMESTAMP_NOT_FINITE(shifted) || __builtin_sub_overflow(shifted, now, &difference)) raise_time<Uuid7>(shifted);
    return difference;
}

[[noreturn]] void raise_shifted(std::uint64_t position, std::int64_t us) {
    TimestampTz t = to_timestamptz(MillisField::time_of(Uuid7Ticks::ms_of(position)));
    if (__builtin_add_overflow(t, us, &t)) t = us < 0 ? DT_NOBEGIN : DT_NOEND;
    raise_time<Uuid7>(t);
}

Datum next_shifted(FunctionCallInfo fcinfo) {
    const Interval *shift = PG_GETARG_INTERVAL_P(0);
    const std::uint64_t position = next_position();
    const std::int64_t us = shift_of(shift, position);
    std::uint64_t shifted = 0;
    if (Uuid7Ticks::shift(position, us, shifted) != Status::ok) raise_shifted(position, us);
    return id_of_position<Uuid7>(shifted);
}

// NULL for a uuid of another version.
template <typename Part>
Datum part_of(FunctionCallInfo fcinfo, const Part &part) {
    const auto id = arg<Uuid7>(fcinfo, 0);
    if (!id.is_version7()) PG_RETURN_NULL();
    return part(id);
}

}  // namespace

SNOWID_FUNCTION(snowid_uuidv7) { return next_of_timeline<Uuid7>(); }
SNOWID_FUNCTION(snowid_uuidv7_shifted) { return next_shifted(fcinfo); }
SNOWID_FUNCTION(snowid_uuidv7_next) { return next_of_timeline<Uuid7>(); }
SNOWID_FUNCTION(snowid_uuidv7_next_shifted) { return next_shifted(fcinfo); }
SNOWID_FUNCTION(snowid_uuidv7_next_batch) { return type_next_batch<TimelineBatch<Uuid7>>(fcinfo); }
SNOWID_FUNCTION(snowid_uuidv7_spread) { return next_spread<Uuid7>(); }
SNOWID_FUNCTION(snowid_uuidv7_at) { return next_at<Uuid7>(fcinfo); }
SNOWID_FUNCTION(snowid_uuidv7_lower_bound) { return type_lower_bound<Uuid7>(fcinfo); }

SNOWID_FUNCTION(snowid_uuidv7_time) { return part_of(fcinfo, time_datum<Uuid7>); }
SNOWID_FUNCTION(snowid_uuidv7_rand_a) {
    return part_of(fcinfo, [](const Uuid7 &id) { return Int32GetDatum(id.rand_a()); });
}
SNOWID_FUNCTION(snowid_uuidv7_rand_b) {
    return part_of(fcinfo, [](const Uuid7 &id) { return Int64GetDatum(id.rand_b()); });
}

SNOWID_FUNCTION(snowid_uuidv7_version) {
    const auto id = arg<Uuid7>(fcinfo, 0);
    if (!id.has_version()) PG_RETURN_NULL();
    return Int32GetDatum(id.version());
}

SNOWID_FUNCTION(snowid_uuidv7_decode) {
    const auto id = arg<Uuid7>(fcinfo, 0);
    const bool other = !id.is_version7();
    const RowValue parts[] = {{time_datum(id), other},
                              {Int32GetDatum(id.rand_a()), other},
                              {Int64GetDatum(id.rand_b()), other},
                              {Int32GetDatum(id.version()), !id.has_version()}};
    return row_datum(fcinfo, parts);
}

SNOWID_FUNCTION(snowid_uuidv7_encode) {
    Uuid7 id{};
    compose(time_argument<Uuid7>(fcinfo, 0), part_argument(fcinfo, 1, "rand_a", Uuid7::kMaxRandA),
            checked_part(PG_GETARG_INT64(2), "rand_b", Uuid7::kMaxRandB), id);
    return to_datum(id);
}

SNOWID_TIME_FILTERS(uuidv7, Uuid7)

SNOWID_FUNCTION(snowid_uuidv7_valid) { return BoolGetDatum(arg<Uuid7>(fcinfo, 0).is_version7()); }
