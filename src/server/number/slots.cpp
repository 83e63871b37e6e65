#include "server/number/slots.hpp"

#include "pg/time.hpp"
#include "server/number/directory_numbers.hpp"
#include "server/number/number.hpp"
#include "server/number/server_number.hpp"
#include "server/shared/settings.hpp"
#include "server/shared/shared.hpp"

extern "C" {
#include "miscadmin.h"
#include "utils/syscache.h"
}

namespace snowid::server {
namespace {

// What a generator can get if it cannot have a free slot.
struct Places {
    Slot *idle;       // the slot of any database that has been unused for longest
    Slot *idle_here;  // the same for the generator's own database
    int here;         // slots of the generator's database
};

void note_idle(Slot *&longest, Slot &slot) {
    if (longest == nullptr || slot.left_ns.load() < longest->left_ns.load()) longest = &slot;
}

Places find_places(Oid database) {
    Places places{};
    for_each_slot([&](Slot &slot) {
        const bool is_here = slot.key.database == database;
        if (is_here) ++places.here;
        if (slot.users.load() != 0) return;
        if (is_here) note_idle(places.idle_here, slot);
        note_idle(places.idle, slot);
    });
    return places;
}

int room_of_database() {
    constexpr int kKeptForOthers = 16;
    const int all = shared->slot_count, chosen = settings.max_generators_per_database;
    return chosen >= 0 ? std::min(chosen, all) : std::max(all - kKeptForOthers, (all + 1) / 2);
}

// Frees a used slot if it must. REQUIRES: the lock of the slots.
Slot *make_room(Oid database, Room &room) {
    Slot *free = free_slot();
    if (free != nullptr && shared->used_slots < room_of_database()) return free;
    const Places places = find_places(database);
    const bool is_full = places.here >= room_of_database();
    if (free != nullptr && !is_full) return free;
    shared->crowded_ns.store(pg::monotonic_ns());
    const bool takes_from_itself = is_full || (places.idle_here != nullptr && places.here >= shared->slot_count / 2);
    Slot *idle = takes_from_itself ? places.idle_here : places.idle;
    if (idle == nullptr) {
        room = is_full ? Room::none_in_database : Room::none_on_server;
        return nullptr;
    }
    shared->slot_changes.fetch_add(1);  // a backend may have read its generator's horizon before the last ids were made
    end_number_and_free(*idle);
    return idle;
}

// A backend sees only the tables of its own database.
bool is_gone(const SlotKey &key) {
    if (key.database == MyDatabaseId) return !SearchSysCacheExists1(RELOID, ObjectIdGetDatum(key.table));
    return !SearchSysCacheExists1(DATABASEOID, ObjectIdGetDatum(key.database));
}

core::UsedUp used_of_number(const SlotInfo &info, const SlotStart &start) {
    const core::UnixNanos end = first_free_time(info, start.is_first);
    return end.value == 0 ? start.used : core::merged(start.used, core::UsedUp::all_before(end));
}

// Another generator, perhaps of another scheme, may have had the slot. So the timeline begins at zero, and the number
// then begins like any other.
void begin_slot(Slot &slot, const SlotKey &key, const SlotInfo &info, const SlotStart &start) {
    take_slot(slot, key);
    slot.info = info;
    slot.highest_horizon_ns.store(0);
    slot.made_until_ns.store(0);
    slot.start_ns.store(0);
    slot.row_tid.store(0);
    slot.given_us.store(start.given_us);
    slot.overflow.since_ns.store(0);
    scheme_row(info.scheme).begin(slot, info, {});
    begin_number(slot, info, used_of_number(info, start));
    reset_counters(slot.counters);
}

bool same_claim(const SlotInfo &a, const SlotInfo &b) {
    return a.scheme == b.scheme && a.layout == b.layout && a.sequences == b.sequences && a.is_apart == b.is_apart &&
           a.follows_server == b.follows_server && (a.follows_server || a.number == b.number);
}

// slot_changes grows first. So a backend that looks up a slot meanwhile, and sees its new version, also sees that
// something has changed. REQUIRES: the lock of the slots.
void end_numbers_locked(const SlotKey &pattern, bool free) {
    shared->slot_changes.fetch_add(1);
    for_each_slot([&](Slot &slot) {
        if (!matches(pattern, slot.key)) return;
        if (free)
            end_number_and_free(slot);
        else
            end_number(slot);
    });
}

[[noreturn]] void raise_number_of_server(const SlotInfo &info) {
    const char *number = scheme_row(info.scheme).number_name;
    ereport(ERROR,
            (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
             errmsg("generator \"%s\" could make the same ids as the default generator of this server", info.name),
             errdetail("The server has %s %u now.", number, server_number(info.scheme)),
             errhint("Give the generator another %s with snowid_generator_alter, or give the server one.", number)));
}

// Frees the slots of databases that were dropped, and of an extension that a session without the library dropped.
// Returns whether there were any.
bool free_what_is_gone() {
    auto *keys = static_cast<SlotKey *>(palloc(sizeof(SlotKey) * static_cast<Size>(shared->slot_count)));
    int count = 0;
    lock_slots(LW_SHARED);
    for_each_slot([&](const Slot &slot) { keys[count++] = slot.key; });
    unlock_slots();
    bool any = false;
    for (int i = 0; i < count; ++i) {
        if (!is_gone(keys[i])) continue;
        any = true;
        end_numbers(keys[i], true);
    }
    pfree(keys);
    return any;
}

}  // namespace

UsedSlot use_slot(const SlotKey &key, const SlotInfo &info, std::uint64_t changes, const SlotStart &start) {
    require_configured_number(info);
    lock_slots(LW_EXCLUSIVE);
    Slot *slot = nullptr;
    const bool current = shared->slot_changes.load() == changes;
    const bool is_taken = !has_directory() && takes_number_of_server(info, server_number(info.scheme));
    if (current && !is_taken) slot = slot_of(key);
    if (slot != nullptr && !same_claim(slot->info, info)) {
        shared->slot_changes.fetch_add(1);
        begin_number(*slot, info, used_of_number(info, start));
    }
    UsedSlot used{nullptr, 0, 0, Room::found};
    if (current && !is_taken && slot == nullptr && (slot = make_room(key.database, used.room)) != nullptr)
        begin_slot(*slot, key, info, start);
    used.changes = shared->slot_changes.load();
    used.slot = slot;
    if (slot != nullptr) {
        slot->info = info;
        slot->users.fetch_add(1);
        used.version = slot->version.load();
    }
    unlock_slots();
    if (is_taken) raise_number_of_server(info);
    if (used.room != Room::found && free_what_is_gone()) used.room = Room::found;
    return used;
}

void leave_slot(Slot &slot) noexcept {
    slot.left_ns.store(pg::monotonic_ns());
    slot.users.fetch_sub(1);
}

void raise_no_room(Room room, Scheme scheme) {
    count_refusal(shared->default_slot(scheme), "too many generators are in use");
    const bool of_server = room == Room::none_on_server;
    ereport(
        ERROR,
        (errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED), errmsg("too many generators are in use"),
         of_server ? errdetail("This server has room for %d named generators in all its databases, and all are in use.",
                               shared->slot_count)
                   : errdetail("This database has room for %d of the server's %d named generators, and all are in use.",
                               room_of_database(), shared->slot_count),
         of_server ? errhint("Raise snowid.max_generators and restart the server, or end idle sessions that have "
                             "used generators.")
                   : errhint("Raise snowid.max_generators_per_database and reload, or end idle sessions that have "
                             "used generators.")));
}

bool was_crowded_lately() noexcept {
    constexpr std::int64_t kLately = 60 * core::kNanosPerSecond;
    return pg::monotonic_ns() - shared->crowded_ns.load(std::memory_order_relaxed) < kLately;
}

void count_refusal(Slot &slot, const char *why) {
    count(slot.counters.refusals);
    std::int64_t held_back = 0;
    if (shared->refusal_log.admit(pg::monotonic_ns(), held_back))
        ereport(LOG, (errmsg("snowid: ids are refused, because %s (refusals since the last message: " INT64_FORMAT ")",
                             why, held_back + 1)));
}

void change_slot(const SlotKey &key, core::FunctionRef<void(Slot &slot)> change) {
    lock_slots(LW_EXCLUSIVE);
    if (Slot *slot = slot_of(key)) change(*slot);
    unlock_slots();
}

void end_numbers(const SlotKey &pattern, bool free) {
    lock_slots(LW_EXCLUSIVE);
    end_numbers_locked(pattern, free);
    unlock_slots();
}

bool matches(const SlotKey &pattern, const SlotKey &key) {
    return pattern.database == key.database && (!OidIsValid(pattern.table) || pattern.table == key.table) &&
           (pattern.generator == 0 || pattern.generator == key.generator);
}

bool has_slots(const SlotKey &pattern) {
    bool found = false;
    lock_slots(LW_SHARED);
    for_each_slot([&](const Slot &slot) { found = found || matches(pattern, slot.key); });
    unlock_slots();
    return found;
}

std::uint64_t slot_changes() { return shared->slot_changes.load(); }

}  // namespace snowid::server
