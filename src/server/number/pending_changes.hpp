// Changes of slots that wait for the end of the current transaction.
#pragma once

#include "server/shared/slot.hpp"

namespace snowid::server {

enum class PendingChange : std::uint8_t {
    free_at_abort,         // the generator was created in this transaction
    look_again_at_commit,  // its users look its record up again
    new_claim_at_commit,   // the same, and it makes other ids from then on
    free_at_commit,        // the generator is dropped; the key may be a pattern, see slots.hpp
};

void add_pending_change(PendingChange change, const SlotKey &key);

// Whether this transaction ends a generator's claim. Until it commits, other sessions make ids under that claim.
bool claims_end_at_commit(const SlotKey &pattern);

// Frees a generator's slot when the extension or the database is dropped.
void install_drop_hook();

}  // namespace snowid::server
