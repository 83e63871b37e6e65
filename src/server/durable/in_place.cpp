#include "server/durable/in_place.hpp"

extern "C" {
#include "access/generic_xlog.h"
#include "access/heapam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/xact.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "utils/rel.h"
}

namespace snowid::server {

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

InPlace LockedRow::lock(Relation table, const ItemPointerData &tid, IfBusy if_busy) {
    if (ItemPointerGetBlockNumber(&tid) >= RelationGetNumberOfBlocks(table)) return InPlace::gone;
    table_ = table;
    buffer_ = ReadBuffer(table, ItemPointerGetBlockNumber(&tid));
    if (if_busy == IfBusy::wait) {
        LockBuffer(buffer_, BUFFER_LOCK_EXCLUSIVE);
    } else if (!ConditionalLockBuffer(buffer_)) {
        ReleaseBuffer(buffer_);
        return InPlace::busy;
    }
    if (!find_live(table, buffer_, tid, on_page_) || on_page_.t_len > kMostSize) {
        unlock();
        return InPlace::gone;
    }
    copy_ = on_page_;
    std::memcpy(bytes_, on_page_.t_data, on_page_.t_len);
    copy_.t_data = reinterpret_cast<HeapTupleHeader>(bytes_);
    return InPlace::locked;
}

XLogRecPtr LockedRow::write(bool has_changed) {
    XLogRecPtr end = PageGetLSN(BufferGetPage(buffer_));
    if (has_changed || !is_frozen(on_page_.t_data)) end = overwrite();
    if (!RelationNeedsWAL(table_)) end = InvalidXLogRecPtr;
    unlock();
    return end;
}

void LockedRow::unlock() { UnlockReleaseBuffer(buffer_); }

// All but the header, through WAL. Returns where that WAL ends.
XLogRecPtr LockedRow::overwrite() {
    GenericXLogState *wal = GenericXLogStart(table_);
    Page page = GenericXLogRegisterBuffer(wal, buffer_, 0);
    const ItemId item = PageGetItemId(page, ItemPointerGetOffsetNumber(&on_page_.t_self));
    auto *header = reinterpret_cast<HeapTupleHeader>(PageGetItem(page, item));
    std::memcpy(reinterpret_cast<char *>(header) + header->t_hoff, bytes_ + header->t_hoff,
                copy_.t_len - header->t_hoff);
    // Freeze the row, so that no hint bit and no VACUUM has to come back to it. Do not freeze a row that a superuser
    // has updated, because it is found from the version before it by its xmin.
    if (!is_of_this_transaction(header) && !HeapTupleHeaderIsHeapOnly(header)) header->t_infomask |= HEAP_XMIN_FROZEN;
    return GenericXLogFinish(wal);
}

}  // namespace snowid::server
