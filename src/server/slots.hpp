// A generator's place in shared memory: the default one's, and those of named generators, which are there from the
// first id of this incarnation on and until the generator is dropped. What lies beside the timeline is written rarely.
//
//  - `version` grows whenever what the slot is for, or what is recorded of that, has changed. Who takes a position
//  looks
//    at it afterwards: where it is another than before, the position is left unused. So from the moment that it has
//    grown nobody makes ids by what was recorded before, and all that were made lie below the durable horizon.
//  - A slot is given to another generator only when nobody has it in use (`users`), so that a position of one generator
//    never reaches the timeline of another.
//  - Who looks a generator up reads `slot_changes` before, and holds nothing true that has changed since.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/sno/timeline.hpp"
#include "core/timeline/claim.hpp"
#include "core/timeline/timeline.hpp"
#include "pg/prelude.hpp"
#include "server/overflow.hpp"
#include "server/stat.hpp"

namespace snowid::server {

enum class Scheme : std::uint8_t { snowflake, sno };

struct SlotKey {
    Oid database;
    Oid table;  // snowid_generator: another extension of the same database has another
    std::int64_t generator;

    friend bool operator==(const SlotKey &, const SlotKey &) = default;
};

// What the server's statistics show of it; read and written under the slots' lock.
struct SlotInfo {
    char name[NAMEDATALEN];
    Scheme scheme;
    bool backfill;
    core::Layout layout;
    core::SequenceRange sequences;
    bool follows_server;   // its origin is the server's, not this one
    std::uint32_t origin;  // the worker in its snowflakes, or the partition in its snos
};

struct Slot {
    core::Timeline timeline;  // of snowflakes, or
    core::SnoTimeline snos;   // of snos; each alone on its cache line
    alignas(64) std::atomic<std::uint64_t> version;
    std::atomic<std::int64_t> highest_horizon_ns;  // of all that this incarnation has read or raised
    std::atomic<std::int64_t> start_ns;            // the horizon that it started from
    std::atomic<std::int64_t> given_us;            // backfill: the last time that was given
    std::atomic<int> users;                        // backends that have it in use
    SlotKey key;                                   // generator 0: free
    SlotInfo info;
    alignas(64) Counters counters;
    Overflow overflow;
};

// Where a timeline begins in this incarnation.
struct SlotStart {
    core::UsedUp used_up;
    std::int64_t given_us;
};

// The instant after the last id of either bit.
core::UnixNanos end_of(const core::UsedUp &state);
core::UnixNanos end_of_ids(const Slot &slot, const SlotInfo &info);

// The slot of the generator, counted as used by this backend; made where there is none. Nothing where something has
// changed since `changes` was read. An error where there are too many.
Slot *use_slot(const SlotKey &key, const SlotInfo &info, std::uint64_t changes, const SlotStart &start);
void leave_slot(Slot &slot) noexcept;

// Without using it: nothing where it has none.
Slot *find_slot(const SlotKey &key);

void lock_slots(bool to_change);
void unlock_slots();
Slot *named_slots();
int named_slot_count();
std::uint64_t slot_changes();

// Every slot that is some generator's. REQUIRES: the caller holds the lock of the slots.
template <typename See>
void see_slots(See see) {
    for (Slot *slot = named_slots(); slot != named_slots() + named_slot_count(); ++slot)
        if (slot->key.generator != 0) see(*slot);
}

// At the end of this transaction:
void slot_is_of_this_transaction(const SlotKey &key);  // freed by ROLLBACK
void slot_changes_at_commit(const SlotKey &key);       // those who use it look again
void slot_claims_at_commit(const SlotKey &key);        // the same, and its ids are others from then on
void slot_ends_at_commit(const SlotKey &key);          // freed; InvalidOid and 0 stand for all

// Whether this transaction ends what a generator claims: until its commit others go on by that.
bool claims_end_at_commit(const SlotKey &pattern);

void install_drop_hook();  // with the extension or the database its slots go

}  // namespace snowid::server
