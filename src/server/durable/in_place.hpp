// A row that is overwritten in place through generic WAL. That needs no transaction id, so it is allowed in a READ ONLY
// transaction and in a parallel worker, and it survives a ROLLBACK. Nothing here flushes.
#pragma once

#include "core/function_ref.hpp"
#include "pg/prelude.hpp"

extern "C" {
#include "access/htup.h"
#include "access/xlogdefs.h"
#include "storage/buf.h"
#include "storage/itemptr.h"
#include "storage/lockdefs.h"
#include "utils/relcache.h"
}

namespace snowid::server {

enum class IfBusy : std::uint8_t { give_up, wait };
enum class InPlace : std::uint8_t { done, busy, gone };

// Opens the table unless the lock is held by others or the table is dropped. Then returns nullptr.
Relation open_if_free(Oid table, LOCKMODE lock);

// Finds the live row at this place. Returns false if there is none. REQUIRES: the page's buffer is locked exclusively.
bool find_live(Relation table, Buffer buffer, const ItemPointerData &tid, HeapTupleData &tuple);

// A row whose transaction nobody has to ask about any more.
bool is_frozen(HeapTupleHeader header);

bool is_of_this_transaction(HeapTupleHeader header);

// Calls `change` with a copy of the row at this place, if `is_it` says that it is the right one. If `change` returns
// true, the values of the copy are written to the page. Also writes a row that is not frozen, because it may come from
// a transaction whose commit is not flushed yet, and the new WAL comes after that commit. `end` becomes the end of the
// WAL that the row depends on.
using IsRow = core::FunctionRef<bool(const HeapTupleData &tuple)>;
using ChangeTuple = core::FunctionRef<bool(HeapTupleData &tuple)>;
InPlace change_in_place(Relation table, const ItemPointerData &tid, IfBusy if_busy, IsRow is_it, ChangeTuple change,
                        XLogRecPtr &end);

}  // namespace snowid::server
