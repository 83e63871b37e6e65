// Makes any trivially copyable id of the core into a PostgreSQL type of fixed size. An id of 8 bytes is passed in the
// Datum, a larger one by pointer.
#pragma once

#include "pg/prelude.hpp"

namespace snowid::pg {

// Specialised for each type: a sentence for error messages that describes its text form.
template <typename Id>
struct TypeText;

template <typename Id>
concept FixedId = std::is_trivially_copyable_v<Id> && requires {
    Id::kName;
    TypeText<Id>::form;
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

}  // namespace snowid::pg
