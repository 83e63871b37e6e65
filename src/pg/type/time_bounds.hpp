// The parts of an id type's time filters: comparing an id's time with another time, and the ends of the range of ids
// that a filter selects.
#pragma once

#include "core/id/time_range.hpp"
#include "pg/error.hpp"
#include "pg/time.hpp"
#include "pg/type/ops.hpp"

extern "C" {
#include "access/xact.h"
#include "utils/fmgrprotos.h"
#include "utils/rangetypes.h"
#include "utils/timestamp.h"
}

namespace snowid::pg {

// The time of a wide id, and the smallest id with a given time.
template <WideType Id>
[[noreturn]] void raise_time(TimestampTz t) {
    raise_time_out_of_range(kTypeName<Id>, t, Id::Time::first(), Id::Time::last());
}

template <WideType Id>
Datum time_datum(const Id &id) {
    return TimestampTzGetDatum(to_timestamptz(id.time()));
}

template <WideType Id>
Datum type_time(FunctionCallInfo fcinfo) {
    return time_datum(arg<Id>(fcinfo, 0));
}

template <WideType Id>
Datum type_lower_bound(FunctionCallInfo fcinfo) {
    const TimestampTz t = PG_GETARG_TIMESTAMPTZ(0);
    Id bound{};
    if (lower_bound(to_unix(t), bound) != core::Status::ok) raise_time_too_late(kTypeName<Id>, t, Id::Time::last());
    return to_datum(bound);
}

// The time argument. Raises an error if the format cannot hold that time.
template <WideType Id>
core::UnixMicros time_argument(FunctionCallInfo fcinfo, int n) {
    const TimestampTz t = PG_GETARG_TIMESTAMPTZ(n);
    const core::UnixMicros unix_time = to_unix(t);
    if (unix_time < Id::Time::first() || unix_time > Id::Time::last()) raise_time<Id>(t);
    return unix_time;
}

// The time in an id. Returns false if the id has none. A type specialises this if some of its values have no time, or
// if their bytes alone do not determine it.
template <FixedId Id>
bool read_time(const Id &id, core::UnixMicros &t) {
    t = id.time();
    return true;
}

// The ids whose time is on that side. A type whose bytes alone do not determine the time specialises this too.
template <FixedId Id>
core::IdRange<Id> ids_on_side(core::Side side, core::UnixMicros t) {
    return core::ids_when<Id>(side, t);
}

constexpr bool is_on(core::Side side, TimestampTz a, TimestampTz b) noexcept {
    switch (side) {
        case core::Side::before: return a < b;
        case core::Side::until: return a <= b;
        case core::Side::from: return a >= b;
        case core::Side::after: return a > b;
    }
    return false;
}

// `id op timestamptz`. With id_at = 1 the timestamptz comes first, and `side` is still the side of the id's time.
template <FixedId Id, core::Side side, int id_at = 0>
Datum type_time_is(FunctionCallInfo fcinfo) {
    core::UnixMicros t{};
    if (!read_time(arg<Id>(fcinfo, id_at), t)) PG_RETURN_NULL();
    return BoolGetDatum(is_on(side, to_timestamptz(t), PG_GETARG_TIMESTAMPTZ(1 - id_at)));
}

// `id <@ tstzrange`, or the reverse.
template <FixedId Id, int id_at = 0>
Datum type_time_in(FunctionCallInfo fcinfo) {
    core::UnixMicros t{};
    if (!read_time(arg<Id>(fcinfo, id_at), t)) PG_RETURN_NULL();
    const RangeType *range = PG_GETARG_RANGE_P(1 - id_at);
    TypeCacheEntry *type = range_get_typcache(fcinfo, RangeTypeGetOid(range));
    return BoolGetDatum(range_contains_elem_internal(type, range, TimestampTzGetDatum(to_timestamptz(t))));
}

// Raises an error for the name of another operator.
core::Side read_side(const text *name);

// For a leakproof function. An error could show a name from a row that the user may not see. So an error is raised only
// in a call with constants, which the planner evaluates before it reads any row. Any other call returns false.
bool read_side_argument(FunctionCallInfo fcinfo, int n, core::Side &side);

// T_first(timestamptz, operator) and T_last(timestamptz, operator).
template <FixedId Id>
Datum type_first(FunctionCallInfo fcinfo) {
    core::Side side{};
    if (!read_side_argument(fcinfo, 1, side)) PG_RETURN_NULL();
    return to_datum(ids_on_side<Id>(side, to_unix(PG_GETARG_TIMESTAMPTZ(0))).first);
}

template <FixedId Id>
Datum type_last(FunctionCallInfo fcinfo) {
    core::Side side{};
    if (!read_side_argument(fcinfo, 1, side)) PG_RETURN_NULL();
    return to_datum(ids_on_side<Id>(side, to_unix(PG_GETARG_TIMESTAMPTZ(0))).last);
}

// The ids of `id op now() + shift`, for _T_first_now(operator, shift) and _T_last_now(operator, shift).
template <FixedId Id>
core::IdRange<Id> ids_beside_now(FunctionCallInfo fcinfo) {
    const Datum now = TimestampTzGetDatum(GetCurrentTransactionStartTimestamp());
    const Datum t = DirectFunctionCall2(timestamptz_pl_interval, now, PG_GETARG_DATUM(1));
    return ids_on_side<Id>(read_side(PG_GETARG_TEXT_PP(0)), to_unix(DatumGetTimestampTz(t)));
}

// For a wide id, these return NULL if no id passes the filter.
template <FixedId Id>
Datum type_first_now(FunctionCallInfo fcinfo) {
    const core::IdRange<Id> ids = ids_beside_now<Id>(fcinfo);
    if (WideType<Id> && ids.first > ids.last) PG_RETURN_NULL();
    return to_datum(ids.first);
}

template <FixedId Id>
Datum type_last_now(FunctionCallInfo fcinfo) {
    const core::IdRange<Id> ids = ids_beside_now<Id>(fcinfo);
    if (WideType<Id> && ids.first > ids.last) PG_RETURN_NULL();
    return to_datum(ids.last);
}

// On which side of one of its bounds a range lies.
inline core::Side side_of(const RangeBound &bound) noexcept {
    if (bound.lower) return bound.inclusive ? core::Side::from : core::Side::after;
    return bound.inclusive ? core::Side::until : core::Side::before;
}

// T_first(tstzrange) and T_last(tstzrange). on_side(side, t) says which ids are on that side. What range_get_typcache
// keeps in the call's FmgrInfo would overwrite the layout that is kept there.
template <FixedId Id, typename OnSide>
core::IdRange<Id> ids_of_range(FunctionCallInfo fcinfo, const OnSide &on_side) {
    const RangeType *range = PG_GETARG_RANGE_P(0);
    RangeBound bounds[2];
    bool empty = false;
    TypeCacheEntry *type = lookup_type_cache(RangeTypeGetOid(range), TYPECACHE_RANGE_INFO);
    range_deserialize(type, range, &bounds[0], &bounds[1], &empty);
    if (empty) return core::no_ids<Id>();
    core::IdRange<Id> ids = core::all_ids<Id>();
    for (const RangeBound &bound : bounds)
        if (!bound.infinite) ids = ids & on_side(side_of(bound), to_unix(DatumGetTimestampTz(bound.val)));
    return ids;
}

template <FixedId Id>
core::IdRange<Id> ids_of_range(FunctionCallInfo fcinfo) {
    return ids_of_range<Id>(fcinfo, ids_on_side<Id>);
}

}  // namespace snowid::pg
