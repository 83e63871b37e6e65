#include "server/start/patient_lock.hpp"

#include <cstring>

#include "pg/clock.hpp"
#include "pg/compat.hpp"
#include "server/memory/shared.hpp"

extern "C" {
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "storage/proc.h"
#include "utils/memutils.h"
}

namespace snowid::server {
namespace {

bool is_a_blocker(const LockInstanceData &holder, const LOCKTAG &tag) {
    return std::memcmp(&holder.locktag, &tag, sizeof tag) == 0 && holder.pid != MyProcPid &&
           ((holder.holdMask & LOCKBIT_ON(AccessExclusiveLock)) != 0 || holder.waitLockMode == AccessExclusiveLock);
}

// A prepared transaction belongs to no session, so only a DBA can end it. The error that callers get names it.
void note_blocker(const LockInstanceData &holder) {
    if (holder.pid == 0) shared->prepared_blocker.store(pg::prepared_transaction(holder));
}

void end_blocker(const LockInstanceData &holder, const char *database) {
    if (holder.pid == 0) return;
    ereport(LOG,
            (errmsg("snowid: ending the session with pid %d, because all ids of this server wait for a lock that it "
                    "holds in the database \"%s\"",
                    holder.pid, database)));
    kill(holder.pid, SIGTERM);
}

template <typename See>
void each_blocker(const LOCKTAG &tag, See see) {
    const LockData *locks = GetLockStatusData();
    for (int i = 0; i < locks->nelements; ++i)
        if (is_a_blocker(locks->locks[i], tag)) see(locks->locks[i]);
}

// A database in which we could not get a lock at once, and since when.
struct Missed {
    Oid database;
    std::int64_t since_ns;
};

constinit List *missed_databases = NIL;  // in TopMemoryContext

std::int64_t missed_since(Oid database) {
    const ListCell *cell = nullptr;
    foreach (cell, missed_databases) {
        const auto *missed = static_cast<const Missed *>(lfirst(cell));
        if (missed->database == database) return missed->since_ns;
    }
    MemoryContext caller = MemoryContextSwitchTo(TopMemoryContext);
    auto *missed = static_cast<Missed *>(palloc(sizeof(Missed)));
    *missed = {database, pg::monotonic_ns()};
    missed_databases = lappend(missed_databases, missed);
    MemoryContextSwitchTo(caller);
    return missed->since_ns;
}

// Waits in the lock's queue, so that nobody who comes later gets the lock before us.
void wait_for(const LOCKTAG &tag, const char *database, int timeout_ms) {
    LockTimeout = timeout_ms;
    PG_TRY();
    { LockAcquire(&tag, AccessShareLock, false, false); }
    PG_CATCH();
    {
        if (geterrcode() != ERRCODE_LOCK_NOT_AVAILABLE) PG_RE_THROW();
        FlushErrorState();
        ereport(ERROR, (errcode(ERRCODE_LOCK_NOT_AVAILABLE),
                        errmsg("snowid cannot read the database \"%s\": what it needs is locked", database)));
    }
    PG_END_TRY();
}

}  // namespace

void lock(const LOCKTAG &tag, Oid database, const LockPatience &patience) {
    if (LockAcquire(&tag, AccessShareLock, false, true) != LOCKACQUIRE_NOT_AVAIL) return;
    const char *name = get_database_name(database);
    const bool is_enough =
        patience.ends_blockers && pg::monotonic_ns() - missed_since(database) >= core::millis(kMostPatienceMs);
    each_blocker(tag, [&](const LockInstanceData &holder) {
        note_blocker(holder);
        if (is_enough) end_blocker(holder, name);
    });
    wait_for(tag, name, is_enough ? 1000 : patience.ms);
}

TransactionId lock_or_find_keeper(const LOCKTAG &tag, Oid database, const LockPatience &patience) {
    if (LockAcquire(&tag, AccessShareLock, false, true) != LOCKACQUIRE_NOT_AVAIL) return InvalidTransactionId;
    TransactionId keeper = InvalidTransactionId;
    each_blocker(tag, [&](const LockInstanceData &holder) {
        if (holder.pid == 0) keeper = pg::prepared_transaction(holder);
    });
    if (!TransactionIdIsValid(keeper)) lock(tag, database, patience);
    return keeper;
}

void forget_patience(Oid database) {
    ListCell *cell = nullptr;
    foreach (cell, missed_databases)
        if (static_cast<const Missed *>(lfirst(cell))->database == database)
            missed_databases = foreach_delete_current(missed_databases, cell);
}

}  // namespace snowid::server
