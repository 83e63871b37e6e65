// Sorting of wide ids: by their first bytes, which fit in a Datum, as PostgreSQL sorts its uuid; and the neighbours of
// a value, by which PostgreSQL 18 skips over the values of a leading index column.
#pragma once

#include "pg/compat.hpp"
#include "pg/type_ops.hpp"

extern "C" {
#include "lib/hyperloglog.h"
#include "utils/sortsupport.h"
}

namespace snowid::pg {

// How many different keys there seem to be. Where they are few, as of ids that differ behind their first bytes only, to
// sort by them is work for nothing.
struct AbbreviatedKeys {
    std::int64_t count;
    bool counting;
    hyperLogLogState different;
};

void count_abbreviated_key(AbbreviatedKeys &keys, Datum key);
bool abort_abbreviation(int tuples, SortSupport sort);
AbbreviatedKeys *start_abbreviation(SortSupport sort);

template <WideType Id>
int sort_compare(Datum a, Datum b, SortSupport) noexcept {
    return as_int(core::compare(from_datum<Id>(a).bytes, from_datum<Id>(b).bytes));
}

template <WideType Id>
Datum abbreviate(Datum id, SortSupport sort) {
    const Datum key = core::load_be<sizeof(Datum)>(reinterpret_cast<const std::uint8_t *>(DatumGetPointer(id)));
    count_abbreviated_key(*static_cast<AbbreviatedKeys *>(sort->ssup_extra), key);
    return key;
}

template <WideType Id>
Datum type_sortsupport(FunctionCallInfo fcinfo) {
    auto *sort = reinterpret_cast<SortSupport>(PG_GETARG_POINTER(0));
    sort->comparator = sort_compare<Id>;
    sort->ssup_extra = nullptr;
    if (sort->abbreviate) {
        sort->ssup_extra = start_abbreviation(sort);
        sort->comparator = ssup_datum_unsigned_cmp;
        sort->abbrev_converter = abbreviate<Id>;
        sort->abbrev_abort = abort_abbreviation;
        sort->abbrev_full_comparator = sort_compare<Id>;
    }
    PG_RETURN_VOID();
}

// The value that is one above or below, all its bytes a number; `none` where there is none.
template <WideType Id, int kStep>
Datum neighbour(Relation, Datum id, bool *none) {
    Id value = from_datum<Id>(id);
    for (std::size_t i = sizeof(Id); i-- > 0;) {
        value.bytes[i] = static_cast<std::uint8_t>(value.bytes[i] + kStep);
        if (value.bytes[i] != (kStep > 0 ? 0x00 : 0xFF)) {
            *none = false;
            return to_datum(value);
        }
    }
    *none = true;
    return Datum{0};
}

template <WideType Id>
Datum type_skipsupport(FunctionCallInfo fcinfo) {
    Id first{}, last;
    last.bytes.fill(0xFF);
    set_skip_support(PG_GETARG_POINTER(0), to_datum(first), to_datum(last), neighbour<Id, -1>, neighbour<Id, 1>);
    PG_RETURN_VOID();
}

}  // namespace snowid::pg
