// Parts of ids as arguments of SQL functions, and rows of parts as results.
#pragma once

#include "pg/compat.hpp"
#include "pg/error.hpp"
#include "pg/type/io.hpp"

extern "C" {
#include "utils/tuplestore.h"
#include "utils/typcache.h"
}

namespace snowid::pg {

// For functions that are not STRICT.
inline void require_argument(FunctionCallInfo fcinfo, int n, const char *what) {
    if (PG_ARGISNULL(n)) ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("%s must not be NULL", what)));
}

// Raises an error that names the part unless the value is from 0 to max.
inline std::int64_t checked_part(std::int64_t value, const char *part, std::int64_t max) {
    if (value < 0 || value > max) raise_part_out_of_range(part, value, static_cast<std::uint64_t>(max));
    return value;
}

inline std::int64_t part_argument(FunctionCallInfo fcinfo, int n, const char *part, std::int64_t max) {
    return checked_part(PG_GETARG_INT32(n), part, max);
}

inline std::string_view view_of(const text *value) { return {VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value)}; }

inline std::string_view text_argument(FunctionCallInfo fcinfo, int n) { return view_of(PG_GETARG_TEXT_PP(n)); }

// What read(text, value) makes of a text argument. A call that passes the same text every time finds it in its
// FmgrInfo.
template <typename Value, std::size_t kMostKept, typename Read>
const Value &kept_argument(FunctionCallInfo fcinfo, int n, const Read &read) {
    struct Kept {
        Value value;
        std::size_t size;
        char text[kMostKept];
    };
    const std::string_view wanted = text_argument(fcinfo, n);
    auto *kept = static_cast<Kept *>(fcinfo->flinfo->fn_extra);
    if (kept != nullptr && wanted == std::string_view(kept->text, kept->size)) [[likely]]
        return kept->value;
    if (kept == nullptr)
        fcinfo->flinfo->fn_extra = kept =
            static_cast<Kept *>(MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, sizeof(Kept)));
    kept->size = SIZE_MAX;  // of no text
    read(wanted, kept->value);
    if (wanted.size() <= kMostKept) kept->size = wanted.copy(kept->text, kMostKept);
    return kept->value;
}

// write(out) writes at most that many characters, and returns how many.
template <typename Write>
Datum text_datum(std::size_t most, const Write &write) {
    auto *out = static_cast<text *>(palloc(VARHDRSZ + most));
    SET_VARSIZE(out, VARHDRSZ + write(VARDATA(out)));
    PG_RETURN_TEXT_P(out);
}

// The first columns of a row. Any may be NULL, whatever its table says, and so is a column that the row does not have.
template <std::size_t N>
void first_columns(HeapTuple tuple, TupleDesc columns, Datum (&values)[N], bool (&nulls)[N]) {
    for (std::size_t i = 0; i < N; ++i) {
        const auto n = static_cast<int>(i + 1);
        nulls[i] = true;
        values[i] = n > columns->natts ? Datum{0} : heap_getattr(tuple, n, columns, &nulls[i]);
    }
}

// The same of a row as an argument. Returns false if its first columns have other types.
template <std::size_t N>
bool row_argument(FunctionCallInfo fcinfo, int n, const Oid *types, Datum (&values)[N], bool (&nulls)[N]) {
    HeapTupleHeader row = PG_GETARG_HEAPTUPLEHEADER(n);
    HeapTupleData tuple{};
    tuple.t_len = HeapTupleHeaderGetDatumLength(row);
    tuple.t_data = row;
    TupleDesc columns = lookup_rowtype_tupdesc(HeapTupleHeaderGetTypeId(row), HeapTupleHeaderGetTypMod(row));
    bool has_types = columns->natts >= static_cast<int>(N);
    for (std::size_t i = 0; has_types && i < N; ++i) has_types = TupleDescAttr(columns, i)->atttypid == types[i];
    if (has_types) first_columns(&tuple, columns, values, nulls);
    ReleaseTupleDesc(columns);
    return has_types;
}

template <std::size_t N>
core::Bytes<N> bytes_argument(FunctionCallInfo fcinfo, int n, const char *part) {
    const bytea *value = PG_GETARG_BYTEA_PP(n);
    const auto size = static_cast<int>(VARSIZE_ANY_EXHDR(value));
    if (size != static_cast<int>(N)) raise_part_length(part, static_cast<int>(N), size);
    core::Bytes<N> bytes;
    std::memcpy(bytes.data(), VARDATA_ANY(value), N);
    return bytes;
}

// A value of a row, or NULL.
struct RowValue {
    Datum value;
    bool is_null;

    RowValue(Datum of, bool none = false) : value(of), is_null(none) {}
};

template <std::size_t N>
void split(const RowValue (&row)[N], Datum (&values)[N], bool (&nulls)[N]) {
    for (std::size_t i = 0; i < N; ++i) {
        values[i] = row[i].value;
        nulls[i] = row[i].is_null;
    }
}

// The rows of a function that returns a set. It may be declared with only the first columns.
class Rows {
public:
    explicit Rows(FunctionCallInfo fcinfo) : result_(reinterpret_cast<ReturnSetInfo *>(fcinfo->resultinfo)) {
        InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
    }
    template <std::size_t N>
    void add(const RowValue (&row)[N]) const {
        if (result_->setDesc->natts > static_cast<int>(N)) elog(ERROR, "the function is declared with longer rows");
        Datum values[N];
        bool nulls[N];
        split(row, values, nulls);
        tuplestore_putvalues(result_->setResult, result_->setDesc, values, nulls);
    }

private:
    const ReturnSetInfo *result_;
};

// The row that the function's declaration says it returns.
template <std::size_t N>
Datum row_datum(FunctionCallInfo fcinfo, Datum (&values)[N], bool (&nulls)[N]) {
    TupleDesc row = nullptr;
    if (get_call_result_type(fcinfo, nullptr, &row) != TYPEFUNC_COMPOSITE || row->natts != static_cast<int>(N))
        elog(ERROR, "the function is declared with another row than the one it returns");
    return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(row), values, nulls));
}

template <std::size_t N>
Datum row_datum(FunctionCallInfo fcinfo, const RowValue (&row)[N]) {
    Datum values[N];
    bool nulls[N];
    split(row, values, nulls);
    return row_datum(fcinfo, values, nulls);
}

// T_next_batch(n) returns rows one at a time, so a select list streams them and a cancel stops them. `Source`
// is the state that the call keeps between rows. It starts as zeroes. next(left) makes the Datum of the next id when
// `left` are still to come. begin(), if it is defined, reads the arguments.
template <typename Source>
Datum type_next_batch(FunctionCallInfo fcinfo) {
    static_assert(std::is_trivially_copyable_v<Source>);
    struct Batch {
        std::uint64_t left;
        Source source;
    };
    if (SRF_IS_FIRSTCALL()) {
        const std::int64_t n = PG_GETARG_INT64(0);
        if (n <= 0)
            ereport(ERROR,
                    (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("cannot make a batch of " INT64_FORMAT " ids", n),
                     errdetail("The number of ids must be at least 1.")));
        FuncCallContext *call = SRF_FIRSTCALL_INIT();
        call->user_fctx = MemoryContextAllocZero(call->multi_call_memory_ctx, sizeof(Batch));
        static_cast<Batch *>(call->user_fctx)->left = static_cast<std::uint64_t>(n);
        if constexpr (requires(Source source) { source.begin(fcinfo); })
            static_cast<Batch *>(call->user_fctx)->source.begin(fcinfo);
    }
    FuncCallContext *call = SRF_PERCALL_SETUP();
    auto *batch = static_cast<Batch *>(call->user_fctx);
    if (batch->left == 0) SRF_RETURN_DONE(call);
    const Datum id = batch->source.next(batch->left--);
    SRF_RETURN_NEXT(call, id);
}

}  // namespace snowid::pg
