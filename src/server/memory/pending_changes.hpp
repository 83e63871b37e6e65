// Changes of slots that wait for the end of this transaction.
#pragma once

#include "server/memory/slot.hpp"

namespace snowid::server {

enum class PendingChange : std::uint8_t {
    free_at_abort,         // the generator was created by this transaction
    look_again_at_commit,  // its users look its record up again
    new_claim_at_commit,   // the same, and its ids are others from then on
    free_at_commit,        // the generator is dropped; the key may be a pattern, see slots.hpp
};

void add_pending_change(PendingChange change, const SlotKey &key);

// Whether this transaction ends what a generator claims. Until its commit others make ids by that claim.
bool claims_end_at_commit(const SlotKey &pattern);

// With the extension, or with the database, its slots are freed.
void install_drop_hook();

}  // namespace snowid::server
