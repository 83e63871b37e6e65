#include "server/durable/horizon_page.hpp"

#include "pg/compat.hpp"
#include "server/durable/rows.hpp"
#include "server/durable/tables.hpp"
#include "server/shared/shared.hpp"

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

// Whether none of our columns is NULL. Others may have been added behind them.
bool is_whole(HeapTuple tuple) {
    bool whole = true;
    for (std::size_t n = 0; HeapTupleHasNulls(tuple) && n < sizeof(HorizonRow) / sizeof(std::int64_t); ++n)
        whole = whole && !att_isnull(static_cast<int>(n), tuple->t_data->t_bits);
    return whole;
}

// Only the generator of the row can be read this way, because it never changes.
const HorizonRow &row_in(const HeapTupleData *tuple) { return *reinterpret_cast<const HorizonRow *>(GETSTRUCT(tuple)); }

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
    require_horizon_columns(table);
    look_up(table, kGenerator, generator, nullptr, [&](HeapTuple tuple) {
        if (!is_whole(tuple) || row_in(tuple).generator != generator) return;
        see(*tuple, row_as_it_is(table, *tuple));
    });
}

bool is_higher(const HorizonRow &a, const HorizonRow &b) {
    return a.toggles != b.toggles ? a.toggles > b.toggles : a.horizon_ns > b.horizon_ns;
}

// Finds the highest row, and what covers all of them. A row that ROLLBACK would remove counts only if there is no
// other.
bool find_highest(Relation table, std::int64_t generator, ItemPointerData &tid, HorizonRow &all) {
    bool found = false, found_own = false;
    HorizonRow row{};
    scan_rows(table, generator, [&](const HeapTupleData &tuple, const HorizonRow &candidate) {
        if (found)
            all.merge(candidate);
        else
            all = candidate;
        const bool own = is_of_this_transaction(tuple.t_data);
        if (found && (own != found_own ? own : !is_higher(candidate, row))) return;
        found = true;
        found_own = own;
        tid = tuple.t_self;
        row = candidate;
    });
    return found;
}

// Whether the row is still in its place, and no transaction could undo it. REQUIRES: the buffer is locked exclusively.
bool is_settled(Relation table, Buffer buffer, const SharedRow &row) {
    HeapTupleData tuple;
    return find_live(table, buffer, row.tid, tuple) && is_frozen(tuple.t_data) &&
           row_in(&tuple).generator == row.key.generator;
}

HorizonRow &copy_in(LockedRow &locked) { return *reinterpret_cast<HorizonRow *>(GETSTRUCT(&locked.tuple())); }

InPlace lock_row(Relation table, std::int64_t generator, const ItemPointerData &tid, IfBusy if_busy,
                 LockedRow &locked) {
    const InPlace outcome = locked.lock(table, tid, if_busy);
    if (outcome != InPlace::locked || copy_in(locked).generator == generator) return outcome;
    locked.unlock();
    return InPlace::gone;
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
    lock_slots(LW_SHARED);
    for (int i = 0; i < count; ++i) {
        if (rows[i].slot->key != rows[i].key || !is_settled(table, buffer, rows[i])) continue;
        const OffsetNumber offset = ItemPointerGetOffsetNumber(&rows[i].tid);
        HorizonRow row = *row_at(page, offset);
        if (!change(rows[i], row)) continue;
        *row_at(page, offset) = row;
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
    require_horizon_columns(table);
    if (table->rd_rel->relpersistence == RELPERSISTENCE_PERMANENT && table->rd_rel->relkind == RELKIND_RELATION &&
        table->rd_rel->relam == HEAP_TABLE_AM_OID)
        return;
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("the table _snowid.horizon does not survive a crash"),
                    errhint("A superuser can run: ALTER TABLE _snowid.horizon SET LOGGED;")));
}

// If this transaction has rewritten the table, ROLLBACK brings the old one back, and what was written to the new one is
// lost. A table that this transaction has created is no danger, because whatever could hold the ids goes with it.
bool is_lasting(Relation table) { return IsParallelWorker() || !pg::is_rewritten_here(table); }

void require_lasting(Relation table) {
    if (is_lasting(table)) return;
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("cannot make ids in a transaction that has rewritten the table _snowid.horizon"),
                    errdetail("After a ROLLBACK, nothing would tell how far the ids have come."),
                    errhint("Commit the transaction first.")));
}

// This very statement changes it, or somebody has made it longer than any of ours.
[[noreturn]] void raise_horizon_unusable() {
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("a row of the table _snowid.horizon cannot be written"),
                    errdetail("This statement changes it, or it is too long."),
                    errhint("Take back what was changed in the table by hand.")));
}

// Returns nullptr if the table is locked or dropped and we give up.
Relation open_table(IfBusy if_busy) {
    if (if_busy == IfBusy::wait) return open_extension_table(&ExtensionTables::horizon, RowExclusiveLock);
    return open_if_free(extension_tables().horizon, RowExclusiveLock);
}

}  // namespace

core::History this_history() {
    const std::int64_t lost = shared == nullptr ? 0 : shared->lost_wal.load();  // no ids without the library
    return core::History::of(GetSystemIdentifier(), GetWALInsertionTimeLine(), lost);
}

bool goes_on(core::History row) { return core::goes_on(row, this_history()); }

void raise_horizon_missing() {
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("this database has lost the record of how far its ids have come"),
                    errdetail("The table _snowid.horizon has no row for one of its generators."),
                    errhint("A superuser can run: SELECT snowid_horizon_advance(now());")));
}

void require_horizon_columns(Relation table) {
    constexpr Oid kTypes[] = {INT8OID, INT8OID, INT8OID, INT8OID, INT8OID, INT8OID};
    static_assert(sizeof(HorizonRow) == std::size(kTypes) * sizeof(std::int64_t));
    require_columns(table, kTypes);
}

LockedHorizon::LockedHorizon(std::int64_t generator, RowPlace &place, IfBusy if_busy) {
    table_ = open_table(if_busy);
    if (table_ == nullptr) return;
    require_permanent(table_);
    const bool known = place.table == RelationGetRelid(table_);
    InPlace outcome = known ? lock_row(table_, generator, place.tid, if_busy, row_) : InPlace::gone;
    while (outcome == InPlace::gone) {
        CHECK_FOR_INTERRUPTS();
        const RowPlace last = place;
        HorizonRow all;
        if (!find_highest(table_, generator, place.tid, all)) raise_horizon_missing();
        require_lasting(table_);
        place.table = RelationGetRelid(table_);
        outcome = lock_row(table_, generator, place.tid, if_busy, row_);
        const bool is_same = last.table == place.table && std::memcmp(&last.tid, &place.tid, sizeof last.tid) == 0;
        if (outcome == InPlace::gone && is_same) raise_horizon_unusable();
    }
    if (outcome == InPlace::locked) return;
    table_close(table_, RowExclusiveLock);
    table_ = nullptr;
}

HorizonRow &LockedHorizon::row() { return copy_in(row_); }

XLogRecPtr LockedHorizon::write(bool has_changed) {
    const XLogRecPtr end = row_.write(has_changed);
    table_close(table_, RowExclusiveLock);
    return end;
}

bool read_horizon(std::int64_t generator, HorizonRow &row, RowPlace &place) {
    Relation table = open_extension_table(&ExtensionTables::horizon, AccessShareLock);
    const bool found = find_highest(table, generator, place.tid, row);
    place.table = is_lasting(table) ? RelationGetRelid(table) : InvalidOid;
    table_close(table, AccessShareLock);
    return found;
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
        LockedRow locked;
        if (lock_row(table, generator, tuple.t_self, IfBusy::wait, locked) == InPlace::locked)
            XLogFlush(locked.write(change(copy_in(locked))));
    });
    CacheInvalidateRelcache(table);
    table_close(table, RowExclusiveLock);
}

void add_horizon_row(const HorizonRow &row) {
    Relation table = open_extension_table(&ExtensionTables::horizon, RowExclusiveLock);
    require_horizon_columns(table);
    require_pages(table, kMostHorizonPages);
    const std::int64_t timeline = row.timeline != 0 ? row.timeline : this_history().word;
    Datum values[] = {Int64GetDatum(row.generator), Int64GetDatum(row.horizon_ns), Int64GetDatum(0),
                      Int64GetDatum(timeline),      Int64GetDatum(row.safe),       Int64GetDatum(row.toggles)};
    bool nulls[std::size(values)] = {};
    insert_row(table, row_of_columns(table, values, nulls));
    table_close(table, RowExclusiveLock);
    CommandCounterIncrement();
}

void delete_horizon_rows(std::int64_t generator) {
    Relation table = open_extension_table(&ExtensionTables::horizon, RowExclusiveLock);
    look_up(table, kGenerator, generator, nullptr, [&](HeapTuple tuple) {
        if (is_whole(tuple) && row_in(tuple).generator == generator) CatalogTupleDelete(table, &tuple->t_self);
    });
    table_close(table, RowExclusiveLock);
}

void see_all_horizon_rows(Relation table, core::FunctionRef<void(const HorizonRow &row)> see) {
    require_horizon_columns(table);
    each_row(table, [&](HeapTuple tuple) {
        if (is_whole(tuple)) see(row_as_it_is(table, *tuple));
    });
}

}  // namespace snowid::server
