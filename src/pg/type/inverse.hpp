// Functions that say which value has a text, or NULL if none has: the inverse of a function that writes such texts. A
// filter may call one for each row, with the same text each time, so the last answer is kept.
#pragma once

#include "pg/type/arguments.hpp"

extern "C" {
#include "catalog/pg_type_d.h"
#include "utils/array.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
}

namespace snowid::pg {

struct LastInverse {
    varlena *given;  // nullptr: none yet
    bool is_null;
    Datum found;
};

// Frees what was found last: a join asks for another text for each row.
inline void forget(LastInverse &last, bool by_value) {
    if (last.given == nullptr) return;
    if (!last.is_null && !by_value) pfree(DatumGetPointer(last.found));
    pfree(last.given);
    last.given = nullptr;
}

inline bool is_same(const varlena *a, const varlena *b) {
    return VARSIZE_ANY_EXHDR(a) == VARSIZE_ANY_EXHDR(b) &&
           std::memcmp(VARDATA_ANY(a), VARDATA_ANY(b), VARSIZE_ANY_EXHDR(a)) == 0;
}

// convert(text, found) returns false if no value has the text.
template <typename Convert>
bool all_inverses(const ArrayType *texts, Oid type, const Convert &convert, Datum &found) {
    Datum *given = nullptr;
    bool *nulls = nullptr;
    int count = 0, kept = 0;
    deconstruct_array(const_cast<ArrayType *>(texts), TEXTOID, -1, false, TYPALIGN_INT, &given, &nulls, &count);
    for (int i = 0; i < count; ++i)
        if (!nulls[i] && convert(view_of(DatumGetTextPP(given[i])), given[kept])) ++kept;
    int16 size = 0;
    bool by_value = false;
    char align = 0;
    get_typlenbyvalalign(type, &size, &by_value, &align);
    found = PointerGetDatum(construct_array(given, kept, type, size, by_value, align));
    return true;
}

// For a function of a text or an array of texts.
template <typename Convert>
Datum inverse_datum(FunctionCallInfo fcinfo, const Convert &convert) {
    if (PG_ARGISNULL(0)) PG_RETURN_NULL();
    auto *last = static_cast<LastInverse *>(fcinfo->flinfo->fn_extra);
    if (last == nullptr) {
        last = static_cast<LastInverse *>(MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(LastInverse)));
        fcinfo->flinfo->fn_extra = last;
    }
    varlena *given = PG_DETOAST_DATUM_PACKED(PG_GETARG_DATUM(0));
    if (last->given == nullptr || !is_same(last->given, given)) {
        const Oid type = get_fn_expr_rettype(fcinfo->flinfo), element = get_element_type(type);
        forget(*last, get_typbyval(type));
        Datum found{};
        const bool is_found = OidIsValid(element) ? all_inverses(PG_GETARG_ARRAYTYPE_P(0), element, convert, found)
                                                  : convert(view_of(reinterpret_cast<const text *>(given)), found);
        MemoryContext before = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
        last->is_null = !is_found;
        if (is_found) last->found = datumCopy(found, get_typbyval(type), get_typlen(type));
        last->given = reinterpret_cast<varlena *>(DatumGetPointer(datumCopy(PointerGetDatum(given), false, -1)));
        MemoryContextSwitchTo(before);
    }
    if (last->is_null) PG_RETURN_NULL();
    return last->found;
}

}  // namespace snowid::pg
