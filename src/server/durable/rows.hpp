// Rows of the extension's own tables: finding and writing them, and how many there may be. A superuser can have added
// columns, dropped an index, or made one of any kind.
#pragma once

#include "core/function_ref.hpp"
#include "pg/prelude.hpp"

extern "C" {
#include "access/htup.h"
#include "access/skey.h"
#include "storage/block.h"
#include "utils/relcache.h"
#include "utils/snapshot.h"
}

namespace snowid::server {

using SeeTuple = core::FunctionRef<void(HeapTuple tuple)>;

// Calls `see` with each row that the catalogue's snapshot has.
void each_row(Relation table, SeeTuple see);

// These search by an index. Without one like ours, the whole table is read.
//
// Calls `see` with each tuple whose columns match the keys, and perhaps with others. A snapshot of nullptr means the
// catalogue's snapshot.
void look_up(Relation table, Snapshot snapshot, ScanKeyData *keys, int key_count, SeeTuple see);
void look_up(Relation table, AttrNumber column, std::int64_t value, Snapshot snapshot, SeeTuple see);

// A key for a column's value, or for NULL.
ScanKeyData key_for(AttrNumber column, RegProcedure equal, bool is_null, Datum value);

bool has_any(Relation table, AttrNumber column, StrategyNumber strategy, RegProcedure compare, Datum value);

// Calls `see` with the tuple that has the greatest value of the column, or with all tuples.
void look_up_greatest(Relation table, AttrNumber column, SeeTuple see);

// A row with these as its first columns. Those that others have added are NULL.
HeapTuple row_of_columns(Relation table, std::span<const Datum> values, std::span<const bool> nulls);

// PostgreSQL's functions for writing a row are made for its catalogues. They would crash on an index on an expression,
// and give a partial index all rows. This raises an error if the table has such an index.
void require_plain_indexes(Relation table);
void insert_row(Relation table, HeapTuple row);
void update_row(Relation table, ItemPointer at, HeapTuple row);

// For a table of which other sessions notice a change by the version of a generator's slot.
void close_changed(Relation table);

// How large those tables may become that a reload or a start may have to read whole, in every database. What the pages
// hold may be dead, or may come from a transaction that was rolled back. So pages count as well as rows.
inline constexpr std::int64_t kMostGenerators = 65536;  // rows of _snowid.generator
inline constexpr BlockNumber kMostGeneratorPages = 4096, kMostHorizonPages = 2048, kMostLayoutPages = 16;

// Before a row is added: raises an error if the table has that many pages. The table cannot grow further then, however
// often anybody tries.
void require_pages(Relation table, BlockNumber most);

// After rows were added: raises an error if _snowid.generator has too many. Until the end of the transaction, no other
// one adds any.
void require_few_generators(Relation table);

}  // namespace snowid::server
