#include "server/durable/in_place.hpp"

extern "C" {
#include "access/generic_xlog.h"
#include "access/heapam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/xact.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "utils/rel.h"
}

namespace snowid::server {
namespace {

// A copy of a row in memory of its own.
class CopiedRow {
public:
    static bool has_room_for(const HeapTupleData &tuple) { return tuple.t_len <= kMostSize; }

    explicit CopiedRow(const HeapTupleData &tuple) : tuple_(tuple) {
        std::memcpy(bytes_, tuple.t_data, tuple.t_len);
        tuple_.t_data = reinterpret_cast<HeapTupleHeader>(bytes_);
    }

    HeapTupleData &tuple() { return tuple_; }

    // Without the header.
    void put_values(HeapTupleHeader to) const {
        const std::size_t header = to->t_hoff;
        std::memcpy(reinterpret_cast<char *>(to) + header, bytes_ + header, tuple_.t_len - header);
    }

private:
    static constexpr std::size_t kMostSize = 512;

    HeapTupleData tuple_;
    alignas(std::max_align_t) char bytes_[kMostSize];
};

// Writes the row through WAL. Returns where that WAL ends.
XLogRecPtr overwrite(Relation table, Buffer buffer, const ItemPointerData &tid, const CopiedRow &row) {
    GenericXLogState *wal = GenericXLogStart(table);
    Page page = GenericXLogRegisterBuffer(wal, buffer, 0);
    auto *header =
        reinterpret_cast<HeapTupleHeader>(PageGetItem(page, PageGetItemId(page, ItemPointerGetOffsetNumber(&tid))));
    row.put_values(header);
    // Freeze the row, so that no hint bit and no VACUUM has to come back to it. Do not freeze a row that a superuser
    // has updated, because it is found from the version before it by its xmin.
    if (!is_of_this_transaction(header) && !HeapTupleHeaderIsHeapOnly(header)) header->t_infomask |= HEAP_XMIN_FROZEN;
    return GenericXLogFinish(wal);
}

}  // namespace

Relation open_if_free(Oid table, LOCKMODE lock) {
    if (!ConditionalLockRelationOid(table, lock)) return nullptr;
    Relation opened = try_relation_open(table, NoLock);
    if (opened == nullptr) UnlockRelationOid(table, lock);
    return opened;
}

bool is_frozen(HeapTupleHeader header) {
    return HeapTupleHeaderXminFrozen(header) || !TransactionIdIsNormal(HeapTupleHeaderGetRawXmin(header));
}

bool is_of_this_transaction(HeapTupleHeader header) {
    return !is_frozen(header) && TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetRawXmin(header));
}

bool find_live(Relation table, Buffer buffer, const ItemPointerData &tid, HeapTupleData &tuple) {
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
    return state == TM_Ok || state == TM_BeingModified;
}

InPlace change_in_place(Relation table, const ItemPointerData &tid, IfBusy if_busy, IsRow is_it, ChangeTuple change,
                        XLogRecPtr &end) {
    if (ItemPointerGetBlockNumber(&tid) >= RelationGetNumberOfBlocks(table)) return InPlace::gone;
    Buffer buffer = ReadBuffer(table, ItemPointerGetBlockNumber(&tid));
    if (if_busy == IfBusy::wait) {
        LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
    } else if (!ConditionalLockBuffer(buffer)) {
        ReleaseBuffer(buffer);
        return InPlace::busy;
    }
    HeapTupleData tuple;
    if (!find_live(table, buffer, tid, tuple) || !CopiedRow::has_room_for(tuple) || !is_it(tuple)) {
        UnlockReleaseBuffer(buffer);
        return InPlace::gone;
    }
    end = PageGetLSN(BufferGetPage(buffer));
    CopiedRow row(tuple);
    if (change(row.tuple()) || !is_frozen(tuple.t_data)) end = overwrite(table, buffer, tid, row);
    if (!RelationNeedsWAL(table)) end = InvalidXLogRecPtr;
    UnlockReleaseBuffer(buffer);
    return InPlace::done;
}

}  // namespace snowid::server
