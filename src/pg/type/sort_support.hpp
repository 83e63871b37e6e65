// Sorting of wide ids by an abbreviated key of one word, as PostgreSQL sorts uuid. Also the neighbours of a value,
// which PostgreSQL 18 needs to skip over the values of a leading index column.
#pragma once

#include "core/id/sort_key.hpp"
#include "pg/compat.hpp"
#include "pg/type/ops.hpp"

extern "C" {
#include "lib/hyperloglog.h"
#include "utils/sortsupport.h"
}

namespace snowid::pg {

// Estimates how many different keys there are. If there are few, because the ids differ only after their first bytes,
// sorting by keys is wasted work.
struct AbbreviatedKeys {
    Datum pivot;  // the first id of the set; see sort_key.hpp
    std::int64_t count;
    bool counting;
    hyperLogLogState different;
};

void keep_pivot(AbbreviatedKeys &keys, const void *id, std::size_t size, SortSupport sort);
void count_abbreviated_key(AbbreviatedKeys &keys, Datum key);
bool abort_abbreviation(int tuples, SortSupport sort);
AbbreviatedKeys *start_abbreviation(SortSupport sort);

template <WideType Id>
int sort_compare(Datum a, Datum b, SortSupport) noexcept {
    return as_int(core::compare(from_datum<Id>(a).bytes, from_datum<Id>(b).bytes));
}

template <WideType Id>
Datum abbreviate(Datum datum, SortSupport sort) {
    auto &keys = *static_cast<AbbreviatedKeys *>(sort->ssup_extra);
    const Id id = from_datum<Id>(datum);
    if (keys.pivot == 0) [[unlikely]]
        keep_pivot(keys, &id, sizeof id, sort);
    const std::uint64_t word = core::sort_key(id, from_datum<Id>(keys.pivot));
    const auto key = static_cast<Datum>(word >> 8 * (sizeof word - sizeof(Datum)));
    count_abbreviated_key(keys, key);
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

// The value one above or one below, with all bytes read as one number. Sets `none` if there is no such value.
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
