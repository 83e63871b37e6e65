// Looking up, taking and freeing the slots of named generators.
//
//  - A slot is given to another generator only when no backend uses it (`users`), so that a position of one generator
//    never reaches the timeline of another.
//  - If no slot is free, the one that has been unused for longest is freed. Its generator begins again at its durable
//    horizon, and all its ids lie below that. A database that has half of the slots or more takes one from itself.
//  - A backend reads slot_changes() before it looks up what it needs for a slot. If the count has grown since, what it
//    found is out of date.
#pragma once

#include "core/function_ref.hpp"
#include "server/shared/shared.hpp"
#include "server/shared/slot.hpp"

namespace snowid::server {

// Where a timeline begins in this incarnation.
struct SlotStart {
    core::UsedUp used;
    std::int64_t given_us;
    bool is_first;  // the server has not advanced the generator's horizon yet
};

enum class Room : std::uint8_t { found, none_in_database, none_on_server };

// A slot as a backend uses it.
struct UsedSlot {
    Slot *slot;  // nullptr if there is no room, or something has changed since `changes` was read
    std::uint64_t version;
    std::uint64_t changes;  // the present count
    Room room;
};

// The generator's slot, counted as used by this backend. If there is none, creates one. Raises an error if the server
// makes the same ids with its own number.
UsedSlot use_slot(const SlotKey &key, const SlotInfo &info, std::uint64_t changes, const SlotStart &start);
void leave_slot(Slot &slot) noexcept;

[[noreturn]] void raise_no_room(Room room, Scheme scheme);

// Whether slots have run out lately, so that backends should leave those that they do not use.
bool was_crowded_lately() noexcept;
inline bool was_ever_crowded() noexcept { return shared->crowded_ns.load(std::memory_order_relaxed) != 0; }
inline bool is_crowded() noexcept { return was_ever_crowded() && was_crowded_lately(); }

// Counts an id that is refused, and logs why.
void count_refusal(Slot &slot, const char *why);

// Calls `change` with the generator's slot, if it has one, under the lock.
void change_slot(const SlotKey &key, core::FunctionRef<void(Slot &slot)> change);

// Ends the claims of the generators that match the pattern, and frees their slots if asked to. The version grows first,
// then the tick ends, so no tick has ids of two claims. REQUIRES: the caller does not hold the lock.
void end_numbers(const SlotKey &pattern, bool free);

// Whether the key matches the pattern, which may leave the table and the generator open.
bool matches(const SlotKey &pattern, const SlotKey &key);
bool has_slots(const SlotKey &pattern);

std::uint64_t slot_changes();

// Changes of slots that wait for the end of the current transaction.
enum class PendingChange : std::uint8_t {
    free_at_abort,         // the generator was created in this transaction
    look_again_at_commit,  // its users look its record up again
    new_claim_at_commit,   // the same, and it makes other ids from then on
    free_at_commit,        // the generator is dropped; the key may be a pattern
};

void add_pending_change(PendingChange change, const SlotKey &key);

// Whether this transaction ends a generator's claim. Until it commits, other sessions make ids under that claim.
bool claims_end_at_commit(const SlotKey &pattern);

// Frees a generator's slot when the extension or the database is dropped.
void install_drop_hook();

}  // namespace snowid::server
