#include "server/extension/prepare_guard.hpp"

#include <algorithm>

#include "pg/compat.hpp"
#include "server/extension/tables.hpp"

extern "C" {
#include "access/xact.h"
#include "catalog/objectaccess.h"
#include "catalog/pg_class.h"
#include "catalog/pg_database.h"
#include "catalog/pg_extension.h"
#include "commands/extension.h"
#include "miscadmin.h"
}

namespace snowid::server {
namespace {

constinit object_access_hook_type previous_access_hook = nullptr;
constinit bool has_dropped = false;  // the extension, in this transaction; a savepoint may have restored it

void note_drop(ObjectAccessType access, Oid object_class, Oid object, int part, void *argument) {
    if (previous_access_hook != nullptr) previous_access_hook(access, object_class, object, part, argument);
    if (access != OAT_DROP || object_class != ExtensionRelationId) return;
    const char *name = get_extension_name(object);
    has_dropped = has_dropped || (name != nullptr && std::strcmp(name, "snowid") == 0);
}

bool is_locked_here(Oid table) {
    LOCKTAG tag;
    SET_LOCKTAG_RELATION(tag, MyDatabaseId, table);
    return pg::holds_lock(tag, AccessExclusiveLock);
}

bool keeps_from_reading() {
    bool any = is_locked_here(RelationRelationId) || is_locked_here(ExtensionRelationId);
    for (const char *name : {"snowid_horizon", "snowid_generator", "snowid_layout"}) {
        const Oid table = extension_table_if_any(name);
        any = any || (OidIsValid(table) ? is_locked_here(table) : has_dropped);
    }
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

void end_transaction(XactEvent event, void *) {
    if (event == XACT_EVENT_PRE_PREPARE && (keeps_from_reading() || locks_a_database()))
        ereport(
            ERROR,
            (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
             errmsg("cannot prepare a transaction that has locked a database or the tables of snowid exclusively"),
             errdetail(
                 "While the transaction stays prepared, no database of this server could make ids after a restart."),
             errhint("Run DROP EXTENSION, TRUNCATE, ALTER DATABASE and the like in a transaction of their own.")));
    if (event == XACT_EVENT_COMMIT || event == XACT_EVENT_ABORT || event == XACT_EVENT_PREPARE) has_dropped = false;
}

}  // namespace

void install_prepare_guard() {
    RegisterXactCallback(end_transaction, nullptr);
    previous_access_hook = object_access_hook;
    object_access_hook = note_drop;
}

}  // namespace snowid::server
