// The operators and index support of every id wider than a Datum. Ids sort by their bytes, so one template per
// operation serves all types.
#pragma once

#include "core/id/wide_id.hpp"
#include "pg/prelude.hpp"

extern "C" {
#include "common/hashfn.h"
}

namespace snowid::pg {

// Makes any trivially copyable id of the core into a PostgreSQL type of fixed size. An id of 8 bytes is passed in the
// Datum, a larger one by pointer.

template <typename Id>
concept FixedId = std::is_trivially_copyable_v<Id> && requires {
    Id::kName;
};

template <FixedId Id>
inline constexpr const char *kTypeName = Id::kName.data();  // in SQL

template <FixedId Id>
inline constexpr bool kByValue = sizeof(Id) == sizeof(Datum);

template <FixedId Id>
Id from_datum(Datum datum) noexcept {
    Id id;
    if constexpr (kByValue<Id>)
        std::memcpy(static_cast<void *>(&id), &datum, sizeof id);
    else
        std::memcpy(static_cast<void *>(&id), DatumGetPointer(datum), sizeof id);
    return id;
}

template <FixedId Id>
Datum to_datum(const Id &id) {
    if constexpr (kByValue<Id>) {
        Datum datum;
        std::memcpy(&datum, &id, sizeof datum);
        return datum;
    } else {
        void *p = palloc(sizeof id);
        std::memcpy(p, &id, sizeof id);
        return PointerGetDatum(p);
    }
}

template <FixedId Id>
Id arg(FunctionCallInfo fcinfo, int n) noexcept {
    return from_datum<Id>(fcinfo->args[n].value);
}

template <typename Id>
concept WideType = FixedId<Id> && core::WideId<Id>;

template <WideType Id>
auto order_of_args(FunctionCallInfo fcinfo) noexcept {
    return core::compare(arg<Id>(fcinfo, 0).bytes, arg<Id>(fcinfo, 1).bytes);
}

constexpr int as_int(std::strong_ordering order) noexcept { return (order > 0) - (order < 0); }

// `a op b`, where Op is one of std::less<> and so on.
template <WideType Id, typename Op>
Datum type_is(FunctionCallInfo fcinfo) noexcept {
    return BoolGetDatum(Op{}(arg<Id>(fcinfo, 0), arg<Id>(fcinfo, 1)));
}

template <WideType Id>
Datum type_cmp(FunctionCallInfo fcinfo) noexcept {
    return Int32GetDatum(as_int(order_of_args<Id>(fcinfo)));
}

// For min and max. They return the argument's own Datum.
template <WideType Id>
Datum type_smaller(FunctionCallInfo fcinfo) noexcept {
    return fcinfo->args[order_of_args<Id>(fcinfo) <= 0 ? 0 : 1].value;
}

template <WideType Id>
Datum type_larger(FunctionCallInfo fcinfo) noexcept {
    return fcinfo->args[order_of_args<Id>(fcinfo) >= 0 ? 0 : 1].value;
}

template <WideType Id>
Datum type_hash(FunctionCallInfo fcinfo) noexcept {
    return hash_any(reinterpret_cast<unsigned char *>(PG_GETARG_POINTER(0)), sizeof(Id));
}

template <WideType Id>
Datum type_hash_extended(FunctionCallInfo fcinfo) noexcept {
    return hash_any_extended(reinterpret_cast<unsigned char *>(PG_GETARG_POINTER(0)), sizeof(Id),
                             static_cast<uint64>(PG_GETARG_INT64(1)));
}

// The bytes as one number, rounded to a double.
template <std::size_t N>
constexpr double as_number(const core::Bytes<N> &bytes) noexcept {
    double number = 0;
    for (const std::uint8_t byte : bytes) number = number * 256 + byte;
    return number;
}

// a - b, exact in its first 53 bits however close a and b are to each other. REQUIRES: a >= b.
template <std::size_t N>
constexpr double difference(const core::Bytes<N> &a, const core::Bytes<N> &b) noexcept {
    core::Bytes<N> result{};
    int borrow = 0;
    for (std::size_t i = N; i-- > 0;) {
        const int digit = a[i] - b[i] - borrow;
        borrow = digit < 0;
        result[i] = static_cast<std::uint8_t>(digit);
    }
    return as_number(result);
}

// For BRIN's minmax_multi: by how much the second argument is above the first.
template <WideType Id>
Datum type_distance(FunctionCallInfo fcinfo) {
    return Float8GetDatum(difference(arg<Id>(fcinfo, 1).bytes, arg<Id>(fcinfo, 0).bytes));
}

}  // namespace snowid::pg
