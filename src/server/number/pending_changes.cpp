#include "server/number/slots.hpp"

#include "server/shared/settings.hpp"
#include "server/shared/shared.hpp"

extern "C" {
#include "access/xact.h"
#include "catalog/objectaccess.h"
#include "catalog/pg_class.h"
#include "catalog/pg_database.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "utils/memutils.h"
#include "utils/syscache.h"
}

namespace snowid::server {
namespace {

// What becomes of a generator's number at the end of the transaction or of its subtransaction.
struct Pending {
    SubTransactionId of;  // the subtransaction that asked for it
    PendingChange change;
    SlotKey key;
};

constinit List *pending_changes = NIL;  // in TopTransactionContext; those that end a claim come first

bool ends_claim(PendingChange change) {
    return change == PendingChange::new_claim_at_commit || change == PendingChange::free_at_commit;
}

void apply(const Pending &pending, bool committed) {
    if (committed == (pending.change == PendingChange::free_at_abort)) return;
    end_numbers(pending.key,
                pending.change == PendingChange::free_at_abort || pending.change == PendingChange::free_at_commit);
}

bool drops_extension(const Pending &pending) {
    return pending.change == PendingChange::free_at_commit &&
           !SearchSysCacheExists1(RELOID, ObjectIdGetDatum(pending.key.table));
}

void require_drop_of_extension() {
    ListCell *cell = nullptr;
    foreach (cell, pending_changes) {
        if (drops_extension(*static_cast<Pending *>(lfirst(cell)))) continue;
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                        errmsg("cannot prepare a transaction that has changed generators of snowid")));
    }
}

// Nobody tells us when a prepared transaction ends. If it drops the extension, its generators give up their slots when
// it is prepared, as idle ones do for others. Until it ends, it has their table locked. If it is rolled back, they
// begin again at their durable horizons.
void end_transaction(XactEvent event, void *) {
    if (pending_changes == NIL) return;
    if (event == XACT_EVENT_PRE_PREPARE) require_drop_of_extension();
    if (event != XACT_EVENT_COMMIT && event != XACT_EVENT_ABORT && event != XACT_EVENT_PREPARE) return;
    ListCell *cell = nullptr;
    foreach (cell, pending_changes) apply(*static_cast<Pending *>(lfirst(cell)), event != XACT_EVENT_ABORT);
    pending_changes = NIL;
}

void end_subtransaction(SubXactEvent event, SubTransactionId mine, SubTransactionId parent, void *) {
    if (event != SUBXACT_EVENT_COMMIT_SUB && event != SUBXACT_EVENT_ABORT_SUB) return;
    ListCell *cell = nullptr;
    foreach (cell, pending_changes) {
        auto *pending = static_cast<Pending *>(lfirst(cell));
        if (pending->of != mine) continue;
        if (event == SUBXACT_EVENT_ABORT_SUB) {
            note_change();
            apply(*pending, false);
            pending_changes = foreach_delete_current(pending_changes, cell);
        } else {
            pending->of = parent;
        }
    }
}

void watch_transactions() {
    static constinit bool watching = false;
    if (watching) return;
    RegisterXactCallback(end_transaction, nullptr);
    RegisterSubXactCallback(end_subtransaction, nullptr);
    watching = true;
}

constinit object_access_hook_type previous_access_hook = nullptr;

void note_drop(ObjectAccessType access, Oid object_class, Oid object, int part, void *argument) {
    if (previous_access_hook != nullptr) previous_access_hook(access, object_class, object, part, argument);
    if (access != OAT_DROP || part != 0 || shared == nullptr) return;
    const bool is_table = object_class == RelationRelationId;
    if (!is_table && object_class != DatabaseRelationId) return;
    const SlotKey pattern = is_table ? SlotKey{MyDatabaseId, object, 0} : SlotKey{object, InvalidOid, 0};
    if (has_slots(pattern)) add_pending_change(PendingChange::free_at_commit, pattern);
}

}  // namespace

void add_pending_change(PendingChange change, const SlotKey &key) {
    watch_transactions();
    MemoryContext caller = MemoryContextSwitchTo(TopTransactionContext);
    auto *pending = static_cast<Pending *>(palloc(sizeof(Pending)));
    *pending = {GetCurrentSubTransactionId(), change, key};
    pending_changes = ends_claim(change) ? lcons(pending, pending_changes) : lappend(pending_changes, pending);
    MemoryContextSwitchTo(caller);
}

bool claims_end_at_commit(const SlotKey &pattern) {
    ListCell *cell = nullptr;
    foreach (cell, pending_changes) {
        const auto *pending = static_cast<const Pending *>(lfirst(cell));
        if (!ends_claim(pending->change)) return false;
        if (matches(pending->key, pattern) || matches(pattern, pending->key)) return true;
    }
    return false;
}

void install_drop_hook() {
    previous_access_hook = object_access_hook;
    object_access_hook = note_drop;
}

}  // namespace snowid::server
