#include "server/horizon/page.hpp"

#include <algorithm>

#include "pg/compat.hpp"
#include "server/extension/lookup.hpp"
#include "server/extension/tables.hpp"
#include "server/memory/shared.hpp"

extern "C" {
#include "access/generic_xlog.h"
#include "access/heapam.h"
#include "access/htup_details.h"
#include "access/parallel.h"
#include "access/table.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/indexing.h"
#include "catalog/pg_am_d.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "utils/inval.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
}

namespace snowid::server {
namespace {

// A row on its page. REQUIRES: the page's buffer is locked.
HorizonRow *row_at(Page page, OffsetNumber offset) {
    const ItemId item = PageGetItemId(page, offset);
    auto *header = reinterpret_cast<HeapTupleHeader>(PageGetItem(page, item));
    return reinterpret_cast<HorizonRow *>(reinterpret_cast<char *>(header) + header->t_hoff);
}

constexpr AttrNumber kGenerator = 1;

// Only the generator of the row can be read this way, because it never changes.
const HorizonRow &row_of(HeapTuple tuple) { return *reinterpret_cast<const HorizonRow *>(GETSTRUCT(tuple)); }

// Reads the values under the buffer's lock, because they change in place.
HorizonRow row_as_it_is(Relation table, const HeapTupleData &tuple) {
    Buffer buffer = ReadBuffer(table, ItemPointerGetBlockNumber(&tuple.t_self));
    LockBuffer(buffer, BUFFER_LOCK_SHARE);
    const HorizonRow row = *row_at(BufferGetPage(buffer), ItemPointerGetOffsetNumber(&tuple.t_self));
    UnlockReleaseBuffer(buffer);
    return row;
}

// Calls `see` with every row of the generator that is visible now.
template <typename See>
void scan_rows(Relation table, std::int64_t generator, See see) {
    look_up(table, kGenerator, generator, nullptr, [&](HeapTuple tuple) {
        if (row_of(tuple).generator == generator) see(*tuple, row_as_it_is(table, *tuple));
    });
}

bool is_frozen(HeapTupleHeader header) {
    return HeapTupleHeaderXminFrozen(header) || !TransactionIdIsNormal(HeapTupleHeaderGetRawXmin(header));
}

bool is_of_this_transaction(HeapTupleHeader header) {
    return !is_frozen(header) && TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetRawXmin(header));
}

bool is_higher(const HorizonRow &a, const HorizonRow &b) {
    return a.toggles != b.toggles ? a.toggles > b.toggles : a.horizon_ns > b.horizon_ns;
}

// Finds the highest row. A row that ROLLBACK would remove counts only if there is no other.
bool find_highest(Relation table, std::int64_t generator, ItemPointerData &tid) {
    bool found = false, found_own = false;
    HorizonRow row{};
    scan_rows(table, generator, [&](const HeapTupleData &tuple, const HorizonRow &candidate) {
        const bool own = is_of_this_transaction(tuple.t_data);
        if (found && (own != found_own ? own : !is_higher(candidate, row))) return;
        found = true;
        found_own = own;
        tid = tuple.t_self;
        row = candidate;
    });
    return found;
}

// Whether the row is still the one that was found. REQUIRES: the buffer is locked exclusively.
bool still_there(Relation table, Buffer buffer, const ItemPointerData &tid, std::int64_t generator,
                 HeapTupleData &tuple) {
    Page page = BufferGetPage(buffer);
    const OffsetNumber offset = ItemPointerGetOffsetNumber(&tid);
    if (offset > PageGetMaxOffsetNumber(page)) return false;
    const ItemId item = PageGetItemId(page, offset);
    if (!ItemIdIsNormal(item)) return false;
    tuple.t_self = tid;
    tuple.t_tableOid = RelationGetRelid(table);
    tuple.t_len = ItemIdGetLength(item);
    tuple.t_data = reinterpret_cast<HeapTupleHeader>(PageGetItem(page, item));
    const TM_Result state = HeapTupleSatisfiesUpdate(&tuple, GetCurrentCommandId(false), buffer);
    return (state == TM_Ok || state == TM_BeingModified) && row_at(page, offset)->generator == generator;
}

// Writes the row through WAL. Returns where that WAL ends.
XLogRecPtr overwrite(Relation table, Buffer buffer, const HeapTupleData &tuple, const HorizonRow &row) {
    GenericXLogState *wal = GenericXLogStart(table);
    Page page = GenericXLogRegisterBuffer(wal, buffer, 0);
    const OffsetNumber offset = ItemPointerGetOffsetNumber(&tuple.t_self);
    *row_at(page, offset) = row;
    // Freeze the row, so that no hint bit and no VACUUM has to come back to it. Do not freeze a row that a superuser
    // has updated, because it is found from the version before it by its xmin.
    auto *header = reinterpret_cast<HeapTupleHeader>(PageGetItem(page, PageGetItemId(page, offset)));
    if (!is_of_this_transaction(header) && !HeapTupleHeaderIsHeapOnly(header)) header->t_infomask |= HEAP_XMIN_FROZEN;
    return GenericXLogFinish(wal);
}

// The row as this server would write it now. Rows of a copy keep naming the original server, so that each start
// notices.
HorizonRow stamped(HorizonRow row) {
    row.clock_offset_ns = shared->clock.believed_ns();
    row.boot = shared->identity.boot;
    const std::int64_t original = shared->original.load();
    row.server = original != 0 ? original : shared->identity.server;
    row.timeline = GetWALInsertionTimeLine();
    return row;
}

enum class Outcome : std::uint8_t { done, busy, gone };

Outcome change_row(Relation table, std::int64_t generator, const ItemPointerData &tid, IfBusy if_busy,
                   ChangeRow change) {
    if (ItemPointerGetBlockNumber(&tid) >= RelationGetNumberOfBlocks(table)) return Outcome::gone;
    Buffer buffer = ReadBuffer(table, ItemPointerGetBlockNumber(&tid));
    if (if_busy == IfBusy::wait) {
        LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
    } else if (!ConditionalLockBuffer(buffer)) {
        ReleaseBuffer(buffer);
        return Outcome::busy;
    }
    HeapTupleData tuple;
    if (!still_there(table, buffer, tid, generator, tuple)) {
        UnlockReleaseBuffer(buffer);
        return Outcome::gone;
    }
    HorizonRow row = *row_at(BufferGetPage(buffer), ItemPointerGetOffsetNumber(&tid));
    XLogRecPtr end = PageGetLSN(BufferGetPage(buffer));
    // A row that is not frozen may come from a transaction whose commit is not flushed yet. Our WAL comes after that
    // commit.
    if (change(row) || !is_frozen(tuple.t_data)) end = overwrite(table, buffer, tuple, stamped(row));
    UnlockReleaseBuffer(buffer);
    if (RelationNeedsWAL(table)) XLogFlush(end);
    return Outcome::done;
}

bool is_before(const SharedRow &a, const SharedRow &b) {
    return ItemPointerGetBlockNumber(&a.tid) < ItemPointerGetBlockNumber(&b.tid);
}

// Changes rows that are on the same page.
void change_page(Relation table, const SharedRow *rows, int count, ChangeSharedRow change) {
    Buffer buffer = ReadBuffer(table, ItemPointerGetBlockNumber(&rows->tid));
    if (!ConditionalLockBuffer(buffer)) return ReleaseBuffer(buffer);
    GenericXLogState *wal = GenericXLogStart(table);
    Page page = GenericXLogRegisterBuffer(wal, buffer, 0);
    bool any = false;
    lock_slots(false);
    for (int i = 0; i < count; ++i) {
        HeapTupleData tuple;
        if (rows[i].slot->key != rows[i].key) continue;
        if (!still_there(table, buffer, rows[i].tid, rows[i].key.generator, tuple) || !is_frozen(tuple.t_data))
            continue;
        const OffsetNumber offset = ItemPointerGetOffsetNumber(&rows[i].tid);
        HorizonRow row = *row_at(page, offset);
        if (!change(rows[i], row)) continue;
        *row_at(page, offset) = stamped(row);
        any = true;
    }
    unlock_slots();
    if (any)
        GenericXLogFinish(wal);
    else
        GenericXLogAbort(wal);
    UnlockReleaseBuffer(buffer);
}

void require_permanent(Relation table) {
    if (table->rd_rel->relpersistence == RELPERSISTENCE_PERMANENT && table->rd_rel->relkind == RELKIND_RELATION &&
        table->rd_rel->relam == HEAP_TABLE_AM_OID)
        return;
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("the table snowid_horizon does not survive a crash"),
                    errhint("A superuser can run: ALTER TABLE %s SET LOGGED;", RelationGetRelationName(table))));
}

// If this transaction has rewritten the table, ROLLBACK brings the old one back, and what was written to the new one is
// lost. A table that this transaction has created is no danger, because whatever could hold the ids goes with it.
void require_lasting(Relation table) {
    if (IsParallelWorker() || !pg::is_rewritten_here(table)) return;
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("cannot generate ids in a transaction that has rewritten the table snowid_horizon"),
                    errdetail("After a ROLLBACK, nothing would tell how far the ids have come."),
                    errhint("Commit the transaction first.")));
}

// Returns nullptr if the table is locked or dropped and we give up.
Relation open_table(IfBusy if_busy) {
    if (if_busy == IfBusy::wait) return open_extension_table(&ExtensionTables::horizon, RowExclusiveLock);
    const Oid oid = extension_tables().horizon;
    if (!ConditionalLockRelationOid(oid, RowExclusiveLock)) return nullptr;
    Relation table = try_relation_open(oid, NoLock);
    if (table == nullptr) UnlockRelationOid(oid, RowExclusiveLock);
    return table;
}

}  // namespace

void raise_horizon_missing() {
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("this database has lost the record of how far its ids have come"),
                    errdetail("The table snowid_horizon has no row for one of its generators."),
                    errhint("A superuser can run: SELECT snowid_horizon_advance(now());")));
}

bool change_horizon_row(std::int64_t generator, RowPlace &place, IfBusy if_busy, ChangeRow change) {
    Relation table = open_table(if_busy);
    if (table == nullptr) return false;
    require_permanent(table);
    const bool known = place.table == RelationGetRelid(table);
    Outcome outcome = known ? change_row(table, generator, place.tid, if_busy, change) : Outcome::gone;
    while (outcome == Outcome::gone) {
        if (!find_highest(table, generator, place.tid)) raise_horizon_missing();
        require_lasting(table);
        place.table = RelationGetRelid(table);
        outcome = change_row(table, generator, place.tid, if_busy, change);
    }
    table_close(table, RowExclusiveLock);
    return outcome == Outcome::done;
}

void change_shared_rows(SharedRow *rows, int count, ChangeSharedRow change) {
    Relation table = open_table(IfBusy::give_up);
    if (table == nullptr) return;
    require_permanent(table);
    std::sort(rows, rows + count, is_before);
    const BlockNumber end = RelationGetNumberOfBlocks(table);
    for (int first = 0, past = 0; first < count; first = past) {
        const BlockNumber block = ItemPointerGetBlockNumber(&rows[first].tid);
        while (past < count && ItemPointerGetBlockNumber(&rows[past].tid) == block) ++past;
        if (block < end) change_page(table, rows + first, past - first, change);
    }
    table_close(table, RowExclusiveLock);
}

void change_horizon_rows(std::int64_t generator, ChangeRow change) {
    Relation table = open_extension_table(&ExtensionTables::horizon, RowExclusiveLock);
    require_permanent(table);
    scan_rows(table, generator, [&](const HeapTupleData &tuple, const HorizonRow &) {
        change_row(table, generator, tuple.t_self, IfBusy::wait, change);
    });
    CacheInvalidateRelcache(table);
    table_close(table, RowExclusiveLock);
}

void add_horizon_row(const HorizonRow &row) {
    Relation table = open_extension_table(&ExtensionTables::horizon, RowExclusiveLock);
    Datum values[8] = {Int64GetDatum(row.generator), Int64GetDatum(row.horizon_ns)};
    values[6] = Int64GetDatum(row.safe);
    values[7] = Int64GetDatum(row.toggles);
    bool nulls[std::size(values)] = {};
    CatalogTupleInsert(table, heap_form_tuple(RelationGetDescr(table), values, nulls));
    table_close(table, RowExclusiveLock);
    CommandCounterIncrement();
}

void delete_horizon_rows(std::int64_t generator) {
    Relation table = open_extension_table(&ExtensionTables::horizon, RowExclusiveLock);
    look_up(table, kGenerator, generator, nullptr, [&](HeapTuple tuple) {
        if (row_of(tuple).generator == generator) CatalogTupleDelete(table, &tuple->t_self);
    });
    table_close(table, RowExclusiveLock);
}

void see_horizon_rows(Relation table, std::int64_t generator, core::FunctionRef<void(const HorizonRow &row)> see) {
    scan_rows(table, generator, [see](const HeapTupleData &, const HorizonRow &row) { see(row); });
}

void see_all_horizon_rows(Relation table, core::FunctionRef<void(const HorizonRow &row)> see) {
    look_up(table, nullptr, nullptr, 0, [&](HeapTuple tuple) { see(row_as_it_is(table, *tuple)); });
}

}  // namespace snowid::server
