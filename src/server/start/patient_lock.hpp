// A lock in a database, for which all ids of the server wait.
#pragma once

#include "pg/prelude.hpp"

extern "C" {
#include "storage/lock.h"
}

namespace snowid::server {

// How long to wait for a lock, and whether to end sessions that hold one once we have waited for locks of the database
// for kMostPatienceMs in total. A session that holds several locks gets no more time than one that holds a single lock.
inline constexpr int kMostPatienceMs = 5000;
struct LockPatience {
    int ms;
    bool ends_blockers;
};

// Locks against sessions that drop or rewrite what the tag names, until the end of the transaction. Raises an error if
// it cannot get the lock.
void lock(const LOCKTAG &tag, Oid database, const LockPatience &patience);

// The same, but does not wait for a prepared transaction, which may stay for ever. Returns that transaction if there is
// one. As long as it is in progress, its own lock keeps everybody from dropping or rewriting what the tag names.
TransactionId lock_or_find_keeper(const LOCKTAG &tag, Oid database, const LockPatience &patience);

// The database has been read. Next time, the wait is counted from zero.
void forget_patience(Oid database);

}  // namespace snowid::server
