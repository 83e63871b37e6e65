// The time of a wide id, and the smallest id with a given time.
#pragma once

#include "pg/error.hpp"
#include "pg/time.hpp"
#include "pg/type/ops.hpp"

extern "C" {
#include "utils/timestamp.h"
}

namespace snowid::pg {

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

}  // namespace snowid::pg
