// A lock in a database for which all ids of the server wait.
#pragma once

#include "pg/prelude.hpp"

extern "C" {
#include "storage/lock.h"
}

namespace snowid::server {

// How long a lock is waited for, and whether those are ended who keep one, once locks of the database have been missed
// for kMostPatienceMs: who holds several of them has no more time than who holds one.
inline constexpr int kMostPatienceMs = 5000;
struct LockPatience {
    int ms;
    bool ends_blockers;
};

// Locks against sessions that drop or rewrite what the tag names, until the end of the transaction. Raises an error if
// it cannot get the lock.
void lock(const LOCKTAG &tag, Oid database, const LockPatience &patience);

// The database has been read: the next time is counted from the start.
void forget_patience(Oid database);

}  // namespace snowid::server
