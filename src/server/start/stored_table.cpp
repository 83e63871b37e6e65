#include "server/start/stored_table.hpp"

extern "C" {
#include "access/heapam.h"
#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/procarray.h"
#include "utils/snapmgr.h"
}

namespace snowid::server {
namespace {

void say_where(void *argument) {
    const auto &spot = *static_cast<const RowSpot *>(argument);
    const char *row = spot.row == InvalidOffsetNumber ? "" : psprintf("row %u on ", spot.row);
    errcontext("%spage %u of the table %s in the database \"%s\"", row, spot.block, spot.table->name,
               spot.table->database);
}

bool lies_on_page(ItemId item) {
    return ItemIdGetOffset(item) % MAXIMUM_ALIGNOF == 0 && ItemIdGetLength(item) >= SizeofHeapTupleHeader &&
           ItemIdGetOffset(item) + ItemIdGetLength(item) <= BLCKSZ;
}

void see_page(Buffer buffer, Snapshot snapshot, RowSpot &spot, SeeStored see) {
    Page page = BufferGetPage(buffer);
    if (PageIsNew(page)) return;
    const auto last = static_cast<OffsetNumber>(PageGetMaxOffsetNumber(page));
    for (spot.row = FirstOffsetNumber; spot.row <= last; ++spot.row) {
        const ItemId item = PageGetItemId(page, spot.row);
        if (!ItemIdIsNormal(item)) continue;
        if (!lies_on_page(item)) raise_unreadable(spot, "It does not lie within its page.");
        HeapTupleData tuple{};
        tuple.t_data = reinterpret_cast<HeapTupleHeader>(PageGetItem(page, item));
        tuple.t_len = ItemIdGetLength(item);
        tuple.t_tableOid = RelationRelationId;  // a snapshot asserts that it is set, but does not look at it
        ItemPointerSet(&tuple.t_self, spot.block, spot.row);
        if (HeapTupleSatisfiesVisibility(&tuple, snapshot, buffer)) see(tuple, spot);
    }
}

bool is_kept(const StoredTable &table) {
    return !TransactionIdIsValid(table.keeper) || TransactionIdIsInProgress(table.keeper);
}

void require_kept(const StoredTable &table) {
    if (is_kept(table)) return;
    ereport(ERROR, (errcode(ERRCODE_LOCK_NOT_AVAILABLE),
                    errmsg("snowid must read a table again, because a prepared transaction that had it locked ended")));
}

// If the keeper drops the file, that waits for our pin. So we change nothing of the page, no hint bit either, unless
// the keeper is in progress after we have pinned it.
void see_block(RowSpot &spot, Snapshot snapshot, BufferAccessStrategy ring, SeeStored see) {
    CHECK_FOR_INTERRUPTS();
    spot.row = InvalidOffsetNumber;
    Buffer buffer = ReadBufferWithoutRelcache(spot.table->file, MAIN_FORKNUM, spot.block, RBM_NORMAL, ring, true);
    LockBuffer(buffer, BUFFER_LOCK_SHARE);
    if (is_kept(*spot.table)) see_page(buffer, snapshot, spot, see);
    UnlockReleaseBuffer(buffer);
}

// After an error, PostgreSQL itself restores the stack of contexts.
template <typename Read>
void with_context(RowSpot &spot, Read read) {
    ErrorContextCallback callback{error_context_stack, say_where, &spot};
    error_context_stack = &callback;
    read();
    error_context_stack = callback.previous;
}

template <typename Read>
void with_snapshot(Read read) {
    Snapshot snapshot = RegisterSnapshot(GetLatestSnapshot());
    read(snapshot);
    UnregisterSnapshot(snapshot);
}

}  // namespace

void see_rows(const StoredTable &table, Snapshot snapshot, SeeStored see) {
    RowSpot spot{&table, 0, InvalidOffsetNumber};
    with_context(spot, [&] {
        BufferAccessStrategy ring = GetAccessStrategy(BAS_BULKREAD);
        const BlockNumber blocks = pg::blocks_of(table.file);
        for (; spot.block < blocks; ++spot.block) see_block(spot, snapshot, ring, see);
        FreeAccessStrategy(ring);
    });
    require_kept(table);
}

void see_rows(const StoredTable &table, SeeStored see) {
    with_snapshot([&](Snapshot snapshot) { see_rows(table, snapshot, see); });
}

void see_rows_of_block(const StoredTable &table, BlockNumber block, SeeStored see) {
    RowSpot spot{&table, block, InvalidOffsetNumber};
    with_context(spot, [&] { with_snapshot([&](Snapshot snapshot) { see_block(spot, snapshot, nullptr, see); }); });
}

void raise_unreadable(const RowSpot &spot, const char *why) {
    error_context_stack = nullptr;  // the message has it all
    ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED),
                    errmsg("snowid cannot read the row (%u,%u) of the table %s in the database \"%s\"", spot.block,
                           spot.row, spot.table->name, spot.table->database),
                    errdetail("%s", why), errhint("As a superuser, correct or delete that row.")));
}

void raise_unusable(const StoredTable &table, const char *why, const char *hint) {
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("snowid cannot use the table %s in the database \"%s\"", table.name, table.database),
                    errdetail("%s", why), errhint("%s", hint)));
}

}  // namespace snowid::server
