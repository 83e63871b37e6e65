#include "server/durable/columns.hpp"

#include <algorithm>

extern "C" {
#include "access/htup_details.h"
#include "utils/rel.h"
}

namespace snowid::server {
namespace {

// Values for all columns of a table, those that others have added too.
struct Columns {
    Datum *values;
    bool *nulls;
    std::size_t count;
};

Columns all_columns(Relation table) {
    const auto count = static_cast<std::size_t>(RelationGetDescr(table)->natts);
    return {static_cast<Datum *>(palloc0(sizeof(Datum) * count)), static_cast<bool *>(palloc(count)), count};
}

}  // namespace

void read_columns(Relation table, HeapTuple tuple, std::span<Datum> values, std::span<bool> nulls) {
    const Columns all = all_columns(table);
    const std::size_t count = std::min(all.count, values.size());
    heap_deform_tuple(tuple, RelationGetDescr(table), all.values, all.nulls);
    std::fill(nulls.begin(), nulls.end(), true);
    std::copy_n(all.values, count, values.begin());
    std::copy_n(all.nulls, count, nulls.begin());
    pfree(all.values);
    pfree(all.nulls);
}

HeapTuple row_of_columns(Relation table, std::span<const Datum> values, std::span<const bool> nulls) {
    const Columns all = all_columns(table);
    const std::size_t count = std::min(all.count, values.size());
    std::fill_n(all.nulls, all.count, true);
    std::copy_n(values.begin(), count, all.values);
    std::copy_n(nulls.begin(), count, all.nulls);
    return heap_form_tuple(RelationGetDescr(table), all.values, all.nulls);
}

}  // namespace snowid::server
