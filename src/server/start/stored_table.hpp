// The rows of a table in a database that this process is not connected to. CREATE DATABASE reads its template's
// pg_class in the same way: page by page, with the rules of visibility and without PostgreSQL's caches.
#pragma once

#include "core/function_ref.hpp"
#include "pg/compat.hpp"

extern "C" {
#include "access/htup.h"
#include "utils/snapshot.h"
}

namespace snowid::server {

struct StoredTable {
    const char *database;
    const char *name;
    pg::FileLocator file;
    TransactionId keeper =
        InvalidTransactionId;  // the prepared transaction that keeps it as it is, if it is not locked
};

// Where a row is, for messages.
struct RowSpot {
    const StoredTable *table;
    BlockNumber block;
    OffsetNumber row;
};

// Calls `see` with each row that is visible now or to the snapshot, while its page is locked. Every error says which
// row or page was being read.
using SeeStored = core::FunctionRef<void(const HeapTupleData &tuple, const RowSpot &spot)>;
void see_rows(const StoredTable &table, SeeStored see);
void see_rows(const StoredTable &table, Snapshot snapshot, SeeStored see);
void see_rows_of_block(const StoredTable &table, BlockNumber block, SeeStored see);

[[noreturn]] void raise_unreadable(const RowSpot &spot, const char *why);
[[noreturn]] void raise_unusable(const StoredTable &table, const char *why, const char *hint);

}  // namespace snowid::server
