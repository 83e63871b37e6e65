#include "server/extension/prepare_guard.hpp"

#include <algorithm>

#include "pg/compat.hpp"
#include "server/tables/lookup.hpp"
#include "server/tables/tables.hpp"

extern "C" {
#include "access/stratnum.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "catalog/pg_database.h"
#include "catalog/pg_extension.h"
#include "catalog/pg_shseclabel.h"
#include "miscadmin.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
}

namespace snowid::server {
namespace {

bool is_locked(Oid database, Oid table) {
    LOCKTAG tag;
    SET_LOCKTAG_RELATION(tag, database, table);
    return pg::holds_lock(tag, AccessExclusiveLock);
}

bool is_locked_here(Oid table) { return is_locked(MyDatabaseId, table); }

bool is_created_here(Oid table) {
    Relation relation = RelationIdGetRelation(table);
    const bool is_created = relation != nullptr && relation->rd_createSubid != InvalidSubTransactionId;
    if (relation != nullptr) RelationClose(relation);
    return is_created;
}

bool locks_a_catalogue() {
    return is_locked_here(RelationRelationId) || is_locked_here(ExtensionRelationId) ||
           is_locked(InvalidOid, SharedSecLabelRelationId);
}

bool locks_a_table() {
    constexpr const char *kNames[] = {"horizon", "generator", "layout"};
    return !has_changed_extension() && std::any_of(std::begin(kNames), std::end(kNames), [](const char *name) {
        const Oid table = extension_table_if_any(name);
        return OidIsValid(table) && is_locked_here(table) && !is_created_here(table);
    });
}

// Each row that was advanced since it was made says on which timeline.
bool has_made_ids_unseen() {
    constexpr AttrNumber kTimeline = 6;
    const Oid oid = extension_table_if_any("horizon");
    if (!OidIsValid(oid) || !is_created_here(oid)) return false;
    Relation table = table_open(oid, AccessShareLock);
    const bool any = has_any(table, kTimeline, BTGreaterStrategyNumber, F_INT8GT, Int64GetDatum(0));
    table_close(table, AccessShareLock);
    return any;
}

bool locks_a_database() {
    const LockData *locks = GetLockStatusData();
    return std::any_of(locks->locks, locks->locks + locks->nelements, [](const LockInstanceData &lock) {
        return lock.pid == MyProcPid && lock.locktag.locktag_type == LOCKTAG_OBJECT &&
               lock.locktag.locktag_field2 == DatabaseRelationId &&
               (lock.holdMask & LOCKBIT_ON(AccessExclusiveLock)) != 0;
    });
}

void require_no_locks() {
    if (!locks_a_catalogue() && !locks_a_table() && !locks_a_database()) return;
    ereport(ERROR,
            (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
             errmsg("cannot prepare a transaction that has locked a database or the tables of snowid exclusively"),
             errdetail("While the transaction stays prepared, this database could make no ids, and after a restart "
                       "perhaps no database of this server."),
             errhint("Run TRUNCATE, LOCK, ALTER DATABASE and the like in a transaction of their own.")));
}

void require_no_ids_unseen() {
    if (!has_made_ids_unseen()) return;
    ereport(ERROR,
            (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
             errmsg("cannot prepare a transaction that has created the extension \"snowid\" and made ids"),
             errdetail("Until it is committed, a start would not see how far these ids have come, and could make them "
                       "again."),
             errhint("Commit CREATE EXTENSION first.")));
}

// Apart, so that the end of any other transaction saves no registers for it.
[[gnu::noinline]] void require_preparable() {
    require_no_locks();
    require_no_ids_unseen();
}

void end_transaction(XactEvent event, void *) {
    if (event == XACT_EVENT_PRE_PREPARE) require_preparable();
}

}  // namespace

void install_prepare_guard() { RegisterXactCallback(end_transaction, nullptr); }

}  // namespace snowid::server
