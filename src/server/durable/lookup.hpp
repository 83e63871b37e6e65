// Finding rows of the extension's own tables by an index. Older versions of the extension's SQL lack some of the
// indexes, and a superuser can drop one, or make one of any kind. Without one like ours, the whole table is read.
#pragma once

#include "core/function_ref.hpp"
#include "pg/prelude.hpp"

extern "C" {
#include "access/htup.h"
#include "access/skey.h"
#include "utils/relcache.h"
#include "utils/snapshot.h"
}

namespace snowid::server {

// Whether the index is neither partial nor on an expression, by its row of pg_index.
bool is_plain_index(HeapTuple index);

using SeeTuple = core::FunctionRef<void(HeapTuple tuple)>;

// Calls `see` with each tuple whose columns match the keys, and perhaps with others. A snapshot of nullptr means the
// catalogue's snapshot.
void look_up(Relation table, Snapshot snapshot, ScanKeyData *keys, int key_count, SeeTuple see);
void look_up(Relation table, AttrNumber column, std::int64_t value, Snapshot snapshot, SeeTuple see);

// A key for a column's value, or for NULL.
ScanKeyData key_for(AttrNumber column, RegProcedure equal, bool is_null, Datum value);

bool has_any(Relation table, AttrNumber column, StrategyNumber strategy, RegProcedure compare, Datum value);

// Calls `see` with the tuple that has the greatest value of the column, or with all tuples.
void look_up_greatest(Relation table, AttrNumber column, SeeTuple see);

}  // namespace snowid::server
