// The extension's tables where another session has found them. All sessions of a database share the places of the rows
// that say which tables these are. A session reads these rows again, and without the relation cache: to open pg_depend
// and the others costs a new session more than all else that its first id needs.
//
// A row counts only if it is visible and says what a search would have looked for. So a place may be out of date in any
// way, or be another database's. Then the table is searched for.
#pragma once

#include <span>

#include "core/function_ref.hpp"
#include "pg/prelude.hpp"
#include "server/memory/table_places.hpp"

extern "C" {
#include "access/htup.h"
}

namespace snowid::server {

// Finds tables by their names. InvalidOid stands for one whose place is not known, or is not its place any more.
void find_at_places(std::span<const char *const> names, std::span<Oid> tables);

// What a search for the table has found.
void keep_place(const char *name, const ItemPointerData &extension, Oid table, const ItemPointerData &membership);

// Calls `see` with each row of a table that has been found, while its page is locked. Returns false without a call
// unless the table is at its place, has few pages, and has columns of these types and no others.
using SeeRow = core::FunctionRef<void(const HeapTupleData &tuple)>;
bool see_rows_at_place(const char *name, Oid table, std::span<const Oid> types, SeeRow see);

}  // namespace snowid::server
