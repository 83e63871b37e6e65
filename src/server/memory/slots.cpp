#include "server/memory/slots.hpp"

#include "server/memory/shared.hpp"

extern "C" {
#include "miscadmin.h"
#include "utils/syscache.h"
}

namespace snowid::server {
namespace {

Slot *slot_of(const SlotKey &key) {
    Slot *found = nullptr;
    for_each_slot([&](Slot &slot) {
        if (slot.key == key) found = &slot;
    });
    return found;
}

Slot *free_slot() {
    for (Slot *slot = shared->slots; slot != shared->slots + shared->slot_count; ++slot)
        if (slot->key.generator == 0 && slot->users.load() == 0) return slot;
    return nullptr;
}

// A backend sees the tables of its own database only.
bool is_gone(const SlotKey &key) {
    if (key.database == MyDatabaseId) return !SearchSysCacheExists1(RELOID, ObjectIdGetDatum(key.table));
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
    const core::UnixNanos horizon = start.used.horizon;
    slot.key = key;
    row_of(info.scheme).begin(slot, info, start.used);
    slot.highest_horizon_ns.store(horizon.value);
    slot.start_ns.store(horizon.value);
    slot.given_us.store(start.given_us);
    slot.overflow.since_ns.store(0);
    reset_counters(slot.counters);
}

bool same_claim(const SlotInfo &a, const SlotInfo &b) {
    return a.layout == b.layout && a.sequences == b.sequences && a.follows_server == b.follows_server &&
           (a.follows_server || a.number == b.number);
}

// A backend that looks a slot up meanwhile, and sees its new version, also sees that something has changed. Ids of a
// generator that leaves no record may have left the server. REQUIRES: the lock of the slots.
void end_claims_locked(const SlotKey &pattern, bool free) {
    shared->slot_changes.fetch_add(1);
    for_each_slot([&](Slot &slot) {
        if (!matches(pattern, slot.key)) return;
        const SchemeRow &scheme = row_of(slot.info.scheme);
        slot.version.fetch_add(1);
        scheme.finish_tick(slot);
        if (!free) return;
        if (!slot.info.backfill) raise_to(shared->abandoned_ns, scheme.first_unused_time(slot, slot.info).value);
        slot.key = {};
    });
}

// Frees the slots of databases that were dropped, and of an extension that was dropped while the library was not loaded
// in the session that did it. Returns whether there were any.
bool free_what_is_gone() {
    auto *keys = static_cast<SlotKey *>(palloc(sizeof(SlotKey) * static_cast<Size>(shared->slot_count)));
    int count = 0;
    lock_slots(false);
    for_each_slot([&](const Slot &slot) { keys[count++] = slot.key; });
    unlock_slots();
    bool any = false;
    for (int i = 0; i < count; ++i) {
        if (!is_gone(keys[i])) continue;
        any = true;
        end_claims(keys[i], true);
    }
    pfree(keys);
    return any;
}

}  // namespace

Slot *use_slot(const SlotKey &key, const SlotInfo &info, std::uint64_t changes, const SlotStart &start) {
    lock_slots(true);
    Slot *slot = nullptr;
    const bool current = shared->slot_changes.load() == changes;
    if (current) slot = slot_of(key);
    if (slot != nullptr && !same_claim(slot->info, info)) end_claims_locked(key, false);
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

void end_claims(const SlotKey &pattern, bool free) {
    lock_slots(true);
    end_claims_locked(pattern, free);
    unlock_slots();
}

bool matches(const SlotKey &pattern, const SlotKey &key) {
    return pattern.database == key.database && (!OidIsValid(pattern.table) || pattern.table == key.table) &&
           (pattern.generator == 0 || pattern.generator == key.generator);
}

bool has_slots(const SlotKey &pattern) {
    bool found = false;
    lock_slots(false);
    for_each_slot([&](const Slot &slot) { found = found || matches(pattern, slot.key); });
    unlock_slots();
    return found;
}

Slot *named_slots() { return shared->slots; }
int named_slot_count() { return shared->slot_count; }
std::uint64_t slot_changes() { return shared->slot_changes.load(); }

}  // namespace snowid::server
