// A row that is overwritten in place through generic WAL. That needs no transaction id, so it is allowed in a READ ONLY
// transaction and in a parallel worker, and it survives a ROLLBACK. Nothing here flushes.
#pragma once

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
enum class InPlace : std::uint8_t { locked, busy, gone };

// Opens the table unless the lock is held by others or the table is dropped. Then returns nullptr.
Relation open_if_free(Oid table, LOCKMODE lock);

// Finds the live row at this place. Returns false if there is none. REQUIRES: the page's buffer is locked exclusively.
bool find_live(Relation table, Buffer buffer, const ItemPointerData &tid, HeapTupleData &tuple);

// A row whose transaction nobody has to ask about any more.
bool is_frozen(HeapTupleHeader header);

bool is_of_this_transaction(HeapTupleHeader header);

// A row whose page is locked exclusively, from lock() to unlock() or write(), or to an error. Values are changed in a
// copy of the row.
class LockedRow {
public:
    LockedRow() = default;
    LockedRow(const LockedRow &) = delete;  // the copy is in here

    // Returns whether the live row at this place is locked now. It is gone if it is longer than any of ours.
    InPlace lock(Relation table, const ItemPointerData &tid, IfBusy if_busy);

    HeapTupleData &tuple() { return copy_; }

    // Writes the values of the copy if they have changed, and unlocks the page. Also writes a row that is not frozen,
    // because it may come from a transaction whose commit is not flushed yet, and the new WAL comes after that commit.
    // Returns the end of the WAL that the row depends on.
    XLogRecPtr write(bool has_changed);
    void unlock();

private:
    static constexpr std::size_t kMostSize = 512;

    XLogRecPtr overwrite();

    Relation table_ = nullptr;
    Buffer buffer_ = 0;
    HeapTupleData on_page_{}, copy_{};
    alignas(std::max_align_t) char bytes_[kMostSize];
};

}  // namespace snowid::server
