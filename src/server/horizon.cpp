#include "server/horizon.hpp"

#include "pg/compat.hpp"
#include "pg/error.hpp"
#include "server/clock.hpp"
#include "server/extension.hpp"
#include "server/settings.hpp"
#include "server/shmem.hpp"
#include "server/sno_horizon.hpp"

extern "C" {
#include "access/generic_xlog.h"
#include "access/heapam.h"
#include "access/htup_details.h"
#include "access/parallel.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "access/xlog.h"
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

// A row on its page, while the page's buffer is locked.
HorizonRow *row_at(Page page, OffsetNumber offset) {
    const ItemId item = PageGetItemId(page, offset);
    auto *header = reinterpret_cast<HeapTupleHeader>(PageGetItem(page, item));
    return reinterpret_cast<HorizonRow *>(reinterpret_cast<char *>(header) + header->t_hoff);
}

// Calls `see` for every row that is visible now. The values are read under the buffer's lock: they change in place.
template <typename See>
void scan_rows(Relation table, See see) {
    Snapshot snapshot = RegisterSnapshot(GetCatalogSnapshot(RelationGetRelid(table)));
    TableScanDesc scan = pg::begin_table_scan(table, snapshot);
    while (HeapTuple tuple = heap_getnext(scan, ForwardScanDirection)) {
        Buffer buffer = ReadBuffer(table, ItemPointerGetBlockNumber(&tuple->t_self));
        LockBuffer(buffer, BUFFER_LOCK_SHARE);
        const HorizonRow row = *row_at(BufferGetPage(buffer), ItemPointerGetOffsetNumber(&tuple->t_self));
        UnlockReleaseBuffer(buffer);
        see(*tuple, row);
    }
    table_endscan(scan);
    UnregisterSnapshot(snapshot);
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

// The highest row; one that a ROLLBACK would take away only where there is no other.
bool find_highest(Relation table, std::int64_t generator, ItemPointerData &tid, HorizonRow &row) {
    bool found = false, found_own = false;
    scan_rows(table, [&](const HeapTupleData &tuple, const HorizonRow &candidate) {
        if (candidate.generator != generator) return;
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

// Writes the row through WAL; returns where that WAL ends, or nothing for a table that needs none.
XLogRecPtr overwrite(Relation table, Buffer buffer, const HeapTupleData &tuple, const HorizonRow &row) {
    GenericXLogState *wal = GenericXLogStart(table);
    Page page = GenericXLogRegisterBuffer(wal, buffer, 0);
    const OffsetNumber offset = ItemPointerGetOffsetNumber(&tuple.t_self);
    *row_at(page, offset) = row;
    // Frozen, so that no hint bit and no VACUUM has to come back to it.
    auto *header = reinterpret_cast<HeapTupleHeader>(PageGetItem(page, PageGetItemId(page, offset)));
    if (!is_of_this_transaction(header)) header->t_infomask |= HEAP_XMIN_FROZEN;
    return GenericXLogFinish(wal);
}

// The row as it is written here and now.
HorizonRow stamped(HorizonRow row) {
    row.clock_offset_ns = shared->clock.believed_ns();
    row.boot = shared->identity.boot;
    row.server = shared->identity.server;
    row.timeline = GetWALInsertionTimeLine();
    return row;
}

enum class Outcome : std::uint8_t { done, busy, gone };

Outcome change_row(Relation table, const HorizonHolder &holder, Patience patience, ChangeRow change, void *context) {
    const ItemPointerData &tid = holder.tid;
    if (ItemPointerGetBlockNumber(&tid) >= RelationGetNumberOfBlocks(table)) return Outcome::gone;
    Buffer buffer = ReadBuffer(table, ItemPointerGetBlockNumber(&tid));
    if (patience == Patience::any) {
        LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
    } else if (!ConditionalLockBuffer(buffer)) {
        ReleaseBuffer(buffer);
        return Outcome::busy;
    }
    HeapTupleData tuple;
    if (!still_there(table, buffer, tid, holder.generator, tuple)) {
        UnlockReleaseBuffer(buffer);
        return Outcome::gone;
    }
    HorizonRow row = *row_at(BufferGetPage(buffer), ItemPointerGetOffsetNumber(&tid));
    XLogRecPtr end = PageGetLSN(BufferGetPage(buffer));
    // A row that is not frozen may be of a transaction whose end is not flushed yet; our WAL comes after that.
    if (change(row, context) || !is_frozen(tuple.t_data)) end = overwrite(table, buffer, tuple, stamped(row));
    UnlockReleaseBuffer(buffer);
    if (RelationNeedsWAL(table)) XLogFlush(end);
    return Outcome::done;
}

void require_permanent(Relation table) {
    if (table->rd_rel->relpersistence == RELPERSISTENCE_PERMANENT && table->rd_rel->relkind == RELKIND_RELATION &&
        table->rd_rel->relam == HEAP_TABLE_AM_OID)
        return;
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("the table snowid_horizon does not survive a crash"),
                    errhint("A superuser can run: ALTER TABLE %s SET LOGGED;", RelationGetRelationName(table))));
}

// What is written to a table that ROLLBACK replaces by the old one is forgotten with it. That of a table that this
// transaction has made goes with everything that could hold its ids.
void require_lasting(Relation table) {
    if (IsParallelWorker() || !pg::is_rewritten_here(table)) return;
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("cannot generate ids in a transaction that has rewritten the table snowid_horizon"),
                    errdetail("After ROLLBACK nothing would tell how far they have come."),
                    errhint("Commit the transaction first.")));
}

// nullptr where that would have meant waiting for somebody, or the table is dropped, and there is no patience.
Relation open_table(Patience patience) {
    if (patience == Patience::any) return open_extension_table(&ExtensionTables::horizon, RowExclusiveLock);
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

HorizonHolder default_horizon_holder(Scheme scheme) {
    return {.generator = default_generator(scheme),
            .scheme = scheme,
            .slot = &shared->default_slot(scheme),
            .ticks = core::Ticks(settings.layout),
            .table = InvalidOid,
            .tid = {}};
}

bool change_horizon(HorizonHolder &holder, Patience patience, ChangeRow change, void *context) {
    Relation table = open_table(patience);
    if (table == nullptr) return false;
    require_permanent(table);
    const bool known = holder.table == RelationGetRelid(table);
    Outcome outcome = known ? change_row(table, holder, patience, change, context) : Outcome::gone;
    while (outcome == Outcome::gone) {
        HorizonRow row{};
        if (!find_highest(table, holder.generator, holder.tid, row)) raise_horizon_missing();
        require_lasting(table);
        holder.table = RelationGetRelid(table);
        outcome = change_row(table, holder, patience, change, context);
    }
    table_close(table, RowExclusiveLock);
    return outcome == Outcome::done;
}

void note_raised(const HorizonHolder &holder, std::int64_t horizon_ns) {
    if (holder.slot == nullptr) return;
    raise_to(holder.slot->highest_horizon_ns, horizon_ns);
    count(holder.slot->counters.horizon_advances);
}

bool raise_horizon(HorizonHolder &holder, const core::HorizonGoal &goal, Patience patience, std::int64_t &horizon_ns) {
    return change_horizon(holder, patience, [&](HorizonRow &row) {
        if (holder.slot != nullptr && row.horizon_ns > holder.slot->highest_horizon_ns.load())
            go_on_above(holder, row.used_up());
        const bool enough = row.horizon_ns >= goal.enough.value;
        if (!enough) row.horizon_ns = goal.target.value;
        if (!enough) note_raised(holder, row.horizon_ns);
        horizon_ns = row.horizon_ns;
        return !enough;
    });
}

void cover_horizon(HorizonHolder &holder, const core::UsedUp &state) {
    change_horizon(holder, Patience::any, [&](HorizonRow &row) {
        const core::UsedUp before = row.used_up();
        row.set(core::merged(before, state));
        return !(row.used_up() == before);
    });
}

void add_horizon(const HorizonRow &row) {
    Relation table = open_extension_table(&ExtensionTables::horizon, RowExclusiveLock);
    Datum values[8] = {Int64GetDatum(row.generator), Int64GetDatum(row.horizon_ns)};
    values[6] = Int64GetDatum(row.safe);
    values[7] = Int64GetDatum(row.toggles);
    bool nulls[std::size(values)] = {};
    simple_heap_insert(table, heap_form_tuple(RelationGetDescr(table), values, nulls));
    CacheInvalidateRelcache(table);
    table_close(table, RowExclusiveLock);
    CommandCounterIncrement();
}

void lower_horizon(std::int64_t generator, core::UnixNanos to) {
    Relation table = open_extension_table(&ExtensionTables::horizon, RowExclusiveLock);
    require_permanent(table);
    const auto lower = [](HorizonRow &row, void *context) {
        const core::UnixNanos end = *static_cast<core::UnixNanos *>(context);
        row.horizon_ns = std::min(row.horizon_ns, end.value);
        row.safe = std::min(row.safe, core::SnoUnits::first_after(end) - 1);
        return true;
    };
    scan_rows(table, [&](const HeapTupleData &tuple, const HorizonRow &row) {
        const HorizonHolder holder{generator, {}, nullptr, {}, RelationGetRelid(table), tuple.t_self};
        if (row.generator == generator) change_row(table, holder, Patience::any, lower, &to);
    });
    CacheInvalidateRelcache(table);
    table_close(table, RowExclusiveLock);
}

void go_on_above(const HorizonHolder &holder, const core::UsedUp &state) {
    if (holder.scheme == Scheme::sno) return take_in(*holder.slot, state);
    raise_to(holder.slot->highest_horizon_ns, state.horizon.value);
    holder.slot->timeline.advance_to(core::start_after(holder.ticks, state.horizon));
}

void read_horizons(void (*see)(const HorizonRow &)) {
    Relation table = nullptr;
    while (table == nullptr) {
        const Oid oid = extension_table_if_any("snowid_horizon");
        if (!OidIsValid(oid)) return;
        table = try_table_open(oid, AccessShareLock);
    }
    scan_rows(table, [see](const HeapTupleData &, const HorizonRow &row) { see(row); });
    table_close(table, AccessShareLock);
}

bool read_horizon(std::int64_t generator, HorizonRow &row) {
    Relation table = open_extension_table(&ExtensionTables::horizon, AccessShareLock);
    bool found = false;
    scan_rows(table, [&](const HeapTupleData &, const HorizonRow &candidate) {
        if (candidate.generator != generator) return;
        const core::UsedUp all = found ? core::merged(row.used_up(), candidate.used_up()) : candidate.used_up();
        row = candidate;
        row.set(all);
        found = true;
    });
    table_close(table, AccessShareLock);
    return found;
}

}  // namespace snowid::server
