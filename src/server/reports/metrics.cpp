// For snowid_metrics(): the columns of a row as numbers with names.
#include "pg/compat.hpp"
#include "pg/type/arguments.hpp"

extern "C" {
#include "access/htup_details.h"
#include "catalog/pg_type_d.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/timestamp.h"
#include "utils/typcache.h"
}

namespace {

const char *unit_of(Oid type) {
    switch (type) {
        case INT4OID: return "";
        case INT8OID: return "_total";
        case INTERVALOID: return "_seconds";
        case TIMESTAMPTZOID: return "_timestamp_seconds";
        default: return nullptr;  // it is no metric
    }
}

double seconds_of(TimestampTz time) {
    if (TIMESTAMP_IS_NOBEGIN(time)) return -get_float8_infinity();
    if (TIMESTAMP_IS_NOEND(time)) return get_float8_infinity();
    constexpr double kBegin = (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * static_cast<double>(SECS_PER_DAY);
    return static_cast<double>(time) / USECS_PER_SEC + kBegin;
}

double value_of(Datum value, Oid type) {
    switch (type) {
        case INT4OID: return DatumGetInt32(value);
        case INT8OID: return static_cast<double>(DatumGetInt64(value));
        case TIMESTAMPTZOID: return seconds_of(DatumGetTimestampTz(value));
        default: break;
    }
    return DatumGetFloat8(DirectFunctionCall2(interval_part, CStringGetTextDatum("epoch"), value));
}

// Names are for ever. Those of two columns are not made of the column's own.
text *name_of(std::string_view prefix, std::string_view column, Oid type) {
    const char *unit = unit_of(type);
    if (column == "wait_time") column = "wait", unit = "_seconds_total";
    if (column == "overlap_count") column = "overlapping";
    if (column.ends_with("_time")) column.remove_suffix(5);
    if (column.ends_with("_at")) column.remove_suffix(3);
    const std::string_view parts[] = {prefix, column, unit};
    std::size_t size = VARHDRSZ;
    for (const std::string_view part : parts) size += part.size();
    auto *name = static_cast<text *>(palloc(size));
    SET_VARSIZE(name, size);
    char *end = VARDATA(name);
    for (const std::string_view part : parts) end = std::copy(part.begin(), part.end(), end);
    return name;
}

}  // namespace

SNOWID_FUNCTION(snowid_metrics_of) {
    const snowid::pg::Rows rows(fcinfo);
    HeapTupleHeader row = PG_GETARG_HEAPTUPLEHEADER(0);
    const std::string_view prefix = snowid::pg::text_argument(fcinfo, 1);
    TupleDesc columns = lookup_rowtype_tupdesc(HeapTupleHeaderGetTypeId(row), HeapTupleHeaderGetTypMod(row));
    HeapTupleData tuple{};
    tuple.t_len = HeapTupleHeaderGetDatumLength(row);
    tuple.t_data = row;
    for (int i = 0; i < columns->natts; ++i) {
        const auto &column = *TupleDescAttr(columns, i);
        if (column.attisdropped || unit_of(column.atttypid) == nullptr) continue;
        bool is_null = false;
        const Datum value = heap_getattr(&tuple, i + 1, columns, &is_null);
        if (is_null) continue;
        rows.add({PointerGetDatum(name_of(prefix, NameStr(column.attname), column.atttypid)),
                  Float8GetDatum(value_of(value, column.atttypid))});
    }
    ReleaseTupleDesc(columns);
    return Datum{0};
}
