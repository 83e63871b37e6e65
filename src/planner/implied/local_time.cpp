#include "core/time.hpp"
#include "pg/node.hpp"
#include "planner/implied/implied.hpp"

extern "C" {
#include "catalog/pg_type_d.h"
#include "datatype/timestamp.h"
#include "parser/scansup.h"
#include "pgtime.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/timestamp.h"
}

using snowid::core::kMicrosPerDay;
using snowid::core::kMicrosPerSecond;

namespace snowid::planner {
namespace {

bool has_digits(std::string_view name) {
    return std::any_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Whether all offsets of the zone are surely those of a real zone, which are less than 16 hours. One that is spelled
// out can be of 167.
bool is_real_zone(pg_tz *zone) {
    long offset = 0;
    return !has_digits(pg_get_timezone_name(zone)) ||
           (pg_get_timezone_offset(zone, &offset) && std::abs(offset) * kMicrosPerSecond <= kLargestOffset);
}

// The longest that a unit of date_trunc() can be, or 0 for an unknown one.
std::int64_t longest(std::string_view unit) {
    int meaning = 0;
    char *word = downcase_truncate_identifier(unit.data(), static_cast<int>(unit.size()), false);
    if (DecodeUnits(0, word, &meaning) != UNITS) return 0;
    switch (meaning) {
        case DTK_MICROSEC: return 1;
        case DTK_MILLISEC: return 1'000;
        case DTK_SECOND: return kMicrosPerSecond;
        case DTK_MINUTE: return 60 * kMicrosPerSecond;
        case DTK_HOUR: return 3600 * kMicrosPerSecond;
        case DTK_DAY: return kMicrosPerDay;
        case DTK_WEEK: return 7 * kMicrosPerDay;
        case DTK_MONTH: return 31 * kMicrosPerDay;
        case DTK_QUARTER: return 92 * kMicrosPerDay;
        case DTK_YEAR: return 366 * kMicrosPerDay;
        case DTK_DECADE: return 3'653 * kMicrosPerDay;
        case DTK_CENTURY: return 36'525 * kMicrosPerDay;
        case DTK_MILLENNIUM: return 365'250 * kMicrosPerDay;
        default: return 0;
    }
}

// The same with wider margins; none if they become larger than any use.
LocalTime widened(LocalTime time, std::int64_t before, std::int64_t after) {
    constexpr std::int64_t kMost = INT64_MAX / 4;
    if (before > kMost - time.before || after > kMost - time.after) return {};
    time.before += before;
    time.after += after;
    return time;
}

// What a name stands for may be read from files or the session's zone later, but only a zone with digits can be
// spelled out.
bool names_real_zone(const Node *argument) {
    const auto name = constant_text(argument);
    if (!name) return false;
    if (!has_digits(*name)) return true;
    pg_tz *zone = pg_tzset(pnstrdup(name->data(), name->size()));
    return zone != nullptr && is_real_zone(zone);
}

LocalTime truncated(const FuncExpr *call, Relids nulling) {
    const auto unit = constant_text(pg::nth(call->args, 0));
    const Node *zone = pg::nth(call->args, 2);
    const std::int64_t length = unit ? longest(*unit) : 0;
    if (length == 0 || (zone != nullptr && !names_real_zone(zone))) return {};
    // The day may begin at a time that the clocks show twice. In one real zone they showed a whole day twice.
    const bool changes_offset = call->funcresulttype == TIMESTAMPTZOID && length >= kMicrosPerDay;
    const std::int64_t day = changes_offset ? kMicrosPerDay : 0;
    return widened(read_local_time(pg::nth(call->args, 1), nulling), day, length + day);
}

LocalTime binned(const FuncExpr *call, Relids nulling) {
    const Const *stride = pg::known(pg::nth(call->args, 0));
    if (stride == nullptr) return {};
    const Interval *length = DatumGetIntervalP(stride->constvalue);
    constexpr std::int64_t kMost = 400'000;
    if (length->month != 0 || length->day < 0 || length->day > kMost || length->time < 0 ||
        length->time > kMost * kMicrosPerDay || length->day + length->time == 0)
        return {};
    return widened(read_local_time(pg::nth(call->args, 1), nulling), 0, length->day * kMicrosPerDay + length->time);
}

LocalTime without_zone(Node *time, Relids nulling) {
    LocalTime inner = widened(read_local_time(time, nulling), kLargestOffset, kLargestOffset);
    inner.type = TIMESTAMPOID;
    return inner;
}

LocalTime date_of(LocalTime time) {
    time.type = DATEOID;
    return widened(time, 0, kMicrosPerDay);
}

LocalTime read_call(FuncExpr *call, Relids nulling) {
    Node *first = pg::nth(call->args, 0);
    switch (call->funcid) {
        case F_DATE_TRUNC_TEXT_TIMESTAMPTZ:
        case F_DATE_TRUNC_TEXT_TIMESTAMPTZ_TEXT:
        case F_DATE_TRUNC_TEXT_TIMESTAMP: return truncated(call, nulling);
        case F_DATE_BIN_INTERVAL_TIMESTAMP_TIMESTAMP:
        case F_DATE_BIN_INTERVAL_TIMESTAMPTZ_TIMESTAMPTZ: return binned(call, nulling);
        case F_TIMEZONE_TEXT_TIMESTAMPTZ:
            return names_real_zone(first) ? without_zone(pg::nth(call->args, 1), nulling) : LocalTime{};
        case F_TIMESTAMP_TIMESTAMPTZ: return without_zone(first, nulling);
        case F_DATE_TIMESTAMPTZ: return date_of(without_zone(first, nulling));
        case F_DATE_TIMESTAMP: return date_of(read_local_time(first, nulling));
        default: return {read_source(reinterpret_cast<Node *>(call), nulling), TIMESTAMPTZOID, 0, 0};
    }
}

}  // namespace

LocalTime read_local_time(Node *expression, Relids nulling) {
    Node *value = bare(expression, nulling);
    if (auto *call = pg::as<FuncExpr>(value)) return read_call(call, nulling);
    return {read_source(value, nulling), TIMESTAMPTZOID, 0, 0};
}

}  // namespace snowid::planner

using namespace snowid::planner;

// The ends of the times that a value can stand for, in the session's zone or any other. Beyond all times they are
// infinite, so no comparison with them raises an error or loses a row.

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

    Timestamp of(Timestamp given, bool as_utc) const {
        Timestamp t = held(given);
        if (!as_utc && !is_beyond(t))
            t = held(DatumGetTimestampTz(DirectFunctionCall1(timestamp_timestamptz, TimestampGetDatum(t))));
        if (margin != 0 && !is_real_zone(session_timezone)) return infinity();
        if (is_beyond(t) ||
            (is_earliest ? __builtin_sub_overflow(t, margin, &t) : __builtin_add_overflow(t, margin, &t)))
            return infinity();
        return is_beyond(t) ? infinity() : t;
    }
};

// Infinite for days that no timestamp holds.
Timestamp midnight_of(DateADT date) {
    std::int64_t t = 0;
    if (__builtin_mul_overflow(std::int64_t{date}, kMicrosPerDay, &t)) return date < 0 ? DT_NOBEGIN : DT_NOEND;
    return t;
}

Datum end_of(FunctionCallInfo fcinfo, bool is_earliest, Timestamp given, bool as_utc) {
    const End end{is_earliest, PG_GETARG_INT64(1)};
    return TimestampTzGetDatum(end.of(given, as_utc));
}

}  // namespace

SNOWID_FUNCTION(snowid_time_earliest) { return end_of(fcinfo, true, PG_GETARG_TIMESTAMPTZ(0), true); }
SNOWID_FUNCTION(snowid_time_latest) { return end_of(fcinfo, false, PG_GETARG_TIMESTAMPTZ(0), true); }
SNOWID_FUNCTION(snowid_time_earliest_local) { return end_of(fcinfo, true, PG_GETARG_TIMESTAMP(0), PG_GETARG_BOOL(2)); }
SNOWID_FUNCTION(snowid_time_latest_local) { return end_of(fcinfo, false, PG_GETARG_TIMESTAMP(0), PG_GETARG_BOOL(2)); }
SNOWID_FUNCTION(snowid_time_earliest_date) {
    return end_of(fcinfo, true, midnight_of(PG_GETARG_DATEADT(0)), PG_GETARG_BOOL(2));
}
SNOWID_FUNCTION(snowid_time_latest_date) {
    return end_of(fcinfo, false, midnight_of(PG_GETARG_DATEADT(0)), PG_GETARG_BOOL(2));
}
