// What looks into a user's table, or changes it, runs what its owner has put there: expressions of indexes,
// constraints, defaults and policies, and triggers. So it runs as the owner, in a security-restricted operation,
// whoever calls it.
#pragma once

#include "pg/prelude.hpp"

extern "C" {
#include "miscadmin.h"
#include "utils/guc.h"
}

namespace snowid::server {

Oid owner_of(Oid table);  // InvalidOid if the table is gone

// The owner of the table. Raises an error unless the user has its rights.
Oid require_owner(Oid table);

// Raises an error unless the user is a member of pg_monitor.
void require_monitor(const char *what);

// The end of the transaction or subtransaction also restores our identity, so an error needs no special care.
struct Caller {
    Oid user;
    int context;
};

Caller become(Oid role);
void become(const Caller &before);

// Runs something as the role, and takes back what that has done to settings. A session of the role itself has nothing
// to fear from what the role has put there, so it keeps what a restricted operation must not do.
template <typename Work>
void as_role(Oid role, const Work &work) {
    if (role == GetUserId() && role == GetSessionUserId()) return work();
    const Caller caller = become(role);
    const int nest_level = NewGUCNestLevel();
    work();
    AtEOXact_GUC(false, nest_level);
    become(caller);
}

}  // namespace snowid::server
