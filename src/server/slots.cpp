#include "server/slots.hpp"

#include "core/timeline/horizon.hpp"
#include "server/extension.hpp"
#include "server/shmem.hpp"

extern "C" {
#include "access/xact.h"
#include "catalog/objectaccess.h"
#include "catalog/pg_class.h"
#include "catalog/pg_database.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "storage/ipc.h"
#include "utils/memutils.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"
}

namespace snowid::server {
namespace {

// Whether the pattern, which may leave table and generator open, means the key.
bool matches(const SlotKey &pattern, const SlotKey &key) {
    return pattern.database == key.database && (!OidIsValid(pattern.table) || pattern.table == key.table) &&
           (pattern.generator == 0 || pattern.generator == key.generator);
}

Slot *slot_of(const SlotKey &key) {
    Slot *found = nullptr;
    see_slots([&](Slot &slot) {
        if (slot.key == key) found = &slot;
    });
    return found;
}

Slot *free_slot() {
    for (Slot *slot = shared->slots; slot != shared->slots + shared->slot_count; ++slot)
        if (slot->key.generator == 0 && slot->users.load() == 0) return slot;
    return nullptr;
}

bool is_gone(const SlotKey &key) {
    if (key.database == MyDatabaseId) return key.table != extension_tables().generator;
    return !SearchSysCacheExists1(DATABASEOID, ObjectIdGetDatum(key.database));
}

[[noreturn]] void raise_too_many() {
    ereport(ERROR,
            (errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED), errmsg("too many generators are in use"),
             errdetail("This server has room for %d named generators of all its databases.", shared->slot_count),
             errhint("Raise snowid.max_generators and restart the server. A generator that was dropped has its room "
                     "for as long as an idle session has used it.")));
}

void begin_slot(Slot &slot, const SlotKey &key, const SlotInfo &info, const SlotStart &start) {
    const core::UnixNanos horizon = start.used_up.horizon;
    slot.key = key;
    if (info.scheme == Scheme::sno)
        slot.snos.resume(start.used_up);
    else
        slot.timeline.rewind_to(core::start_after(core::Ticks(info.layout, info.sequences), horizon));
    slot.highest_horizon_ns.store(horizon.value);
    slot.start_ns.store(horizon.value);
    slot.given_us.store(start.given_us);
    slot.overflow.since_ns.store(0);
    reset_counters(slot.counters);
}

// What each transaction does with slots, and in which of its subtransactions it was asked to.
enum class AtEnd : std::uint8_t { free_at_abort, change_at_commit, claim_at_commit, free_at_commit };

struct Wish {
    SubTransactionId of;
    AtEnd what;
    SlotKey key;
};

constinit List *wishes = NIL;  // in TopTransactionContext

bool same_claim(const SlotInfo &a, const SlotInfo &b) {
    return a.layout == b.layout && a.sequences == b.sequences && a.follows_server == b.follows_server &&
           (a.follows_server || a.origin == b.origin);
}

// Its next id is of a later tick: under another claim the ids of one tick would not ascend, or be the same.
void end_claim(Slot &slot) {
    slot.version.fetch_add(1);
    if (slot.info.scheme == Scheme::sno)
        slot.snos.resume(slot.snos.stop());
    else
        slot.timeline.finish_tick(core::Ticks(slot.info.layout));
}

// Who looks a slot up while this goes on, and sees its new version, sees that there was a change. Ids of a generator of
// which no record is left may have left the server.
void change(const SlotKey &pattern, bool free) {
    shared->slot_changes.fetch_add(1);
    see_slots([&](Slot &slot) {
        if (!matches(pattern, slot.key)) return;
        end_claim(slot);
        if (!free) return;
        if (!slot.info.backfill) raise_to(shared->abandoned_ns, end_of_ids(slot, slot.info).value);
        slot.key = {};
    });
}

void fulfil(const Wish &wish, bool committed) {
    if (committed == (wish.what == AtEnd::free_at_abort)) return;
    lock_slots(true);
    change(wish.key, wish.what == AtEnd::free_at_abort || wish.what == AtEnd::free_at_commit);
    unlock_slots();
}

void end_transaction(XactEvent event, void *) {
    if (wishes == NIL) return;
    if (event == XACT_EVENT_PRE_PREPARE)
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                        errmsg("cannot prepare a transaction that has changed generators of snowid")));
    if (event != XACT_EVENT_COMMIT && event != XACT_EVENT_ABORT) return;
    ListCell *cell = nullptr;
    foreach (cell, wishes) fulfil(*static_cast<Wish *>(lfirst(cell)), event == XACT_EVENT_COMMIT);
    wishes = NIL;
}

void end_subtransaction(SubXactEvent event, SubTransactionId mine, SubTransactionId parent, void *) {
    if (event != SUBXACT_EVENT_COMMIT_SUB && event != SUBXACT_EVENT_ABORT_SUB) return;
    ListCell *cell = nullptr;
    foreach (cell, wishes) {
        auto *wish = static_cast<Wish *>(lfirst(cell));
        if (wish->of != mine) continue;
        if (event == SUBXACT_EVENT_ABORT_SUB) {
            fulfil(*wish, false);
            wishes = foreach_delete_current(wishes, cell);
        } else {
            wish->of = parent;
        }
    }
}

void wish_for(AtEnd what, const SlotKey &key) {
    static constinit bool watching = false;
    if (!watching) RegisterXactCallback(end_transaction, nullptr);
    if (!watching) RegisterSubXactCallback(end_subtransaction, nullptr);
    watching = true;
    MemoryContext caller = MemoryContextSwitchTo(TopTransactionContext);
    auto *wish = static_cast<Wish *>(palloc(sizeof(Wish)));
    *wish = {GetCurrentSubTransactionId(), what, key};
    wishes = lappend(wishes, wish);
    MemoryContextSwitchTo(caller);
}

constinit object_access_hook_type previous_access_hook = nullptr;

// Of databases that were dropped, and of an extension that was dropped where nobody noticed; true if there was any.
bool free_what_is_gone() {
    auto *keys = static_cast<SlotKey *>(palloc(sizeof(SlotKey) * static_cast<Size>(shared->slot_count)));
    int count = 0;
    lock_slots(false);
    see_slots([&](const Slot &slot) { keys[count++] = slot.key; });
    unlock_slots();
    bool any = false;
    for (int i = 0; i < count; ++i) {
        if (!is_gone(keys[i])) continue;
        any = true;
        lock_slots(true);
        change(keys[i], true);
        unlock_slots();
    }
    pfree(keys);
    return any;
}

bool has_slots(const SlotKey &pattern) {
    bool found = false;
    lock_slots(false);
    see_slots([&](const Slot &slot) { found = found || matches(pattern, slot.key); });
    unlock_slots();
    return found;
}

// With the extension, or with the database, its generators go.
void note_drop(ObjectAccessType access, Oid object_class, Oid object, int part, void *argument) {
    if (previous_access_hook != nullptr) previous_access_hook(access, object_class, object, part, argument);
    if (access != OAT_DROP || part != 0 || shared == nullptr) return;
    const bool is_table = object_class == RelationRelationId;
    if (!is_table && object_class != DatabaseRelationId) return;
    const SlotKey pattern = is_table ? SlotKey{MyDatabaseId, object, 0} : SlotKey{object, InvalidOid, 0};
    if (has_slots(pattern)) wish_for(AtEnd::free_at_commit, pattern);
}

}  // namespace

core::UnixNanos end_of(const core::UsedUp &state) {
    return std::max(state.horizon, core::SnoUnits::start(state.safe + 1));
}

core::UnixNanos end_of_ids(const Slot &slot, const SlotInfo &info) {
    if (info.scheme == Scheme::sno) return end_of(slot.snos.used_up());
    const core::Ticks ticks(info.layout);
    return {slot.timeline.last() == 0 ? 0 : ticks.start(ticks.tick_of(slot.timeline.last()) + 1).value};
}

Slot *use_slot(const SlotKey &key, const SlotInfo &info, std::uint64_t changes, const SlotStart &start) {
    lock_slots(true);
    Slot *slot = nullptr;
    const bool current = shared->slot_changes.load() == changes;
    if (current) slot = slot_of(key);
    if (slot != nullptr && !same_claim(slot->info, info)) change(key, false);
    if (current && slot == nullptr && (slot = free_slot()) != nullptr) begin_slot(*slot, key, info, start);
    if (slot != nullptr) {
        slot->info = info;
        slot->users.fetch_add(1);
    }
    unlock_slots();
    if (current && slot == nullptr && !free_what_is_gone()) raise_too_many();
    return slot;
}

void leave_slot(Slot &slot) noexcept { slot.users.fetch_sub(1); }

Slot *find_slot(const SlotKey &key) {
    lock_slots(false);
    Slot *slot = slot_of(key);
    unlock_slots();
    return slot;
}

void lock_slots(bool to_change) { LWLockAcquire(&shared->slots_lock, to_change ? LW_EXCLUSIVE : LW_SHARED); }
void unlock_slots() { LWLockRelease(&shared->slots_lock); }
Slot *named_slots() { return shared->slots; }
int named_slot_count() { return shared->slot_count; }
std::uint64_t slot_changes() { return shared->slot_changes.load(); }

void slot_is_of_this_transaction(const SlotKey &key) { wish_for(AtEnd::free_at_abort, key); }
void slot_changes_at_commit(const SlotKey &key) { wish_for(AtEnd::change_at_commit, key); }
void slot_claims_at_commit(const SlotKey &key) { wish_for(AtEnd::claim_at_commit, key); }
void slot_ends_at_commit(const SlotKey &key) { wish_for(AtEnd::free_at_commit, key); }

bool claims_end_at_commit(const SlotKey &pattern) {
    ListCell *cell = nullptr;
    foreach (cell, wishes) {
        const auto *wish = static_cast<const Wish *>(lfirst(cell));
        const bool ends = wish->what == AtEnd::claim_at_commit || wish->what == AtEnd::free_at_commit;
        if (ends && (matches(wish->key, pattern) || matches(pattern, wish->key))) return true;
    }
    return false;
}

void install_drop_hook() {
    previous_access_hook = object_access_hook;
    object_access_hook = note_drop;
}

}  // namespace snowid::server
