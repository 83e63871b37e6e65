#include "server/shared/owner.hpp"

#include "pg/error.hpp"

extern "C" {
#include "catalog/pg_authid_d.h"
#include "catalog/pg_class.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
}

namespace snowid::server {

Oid owner_of(Oid table) {
    HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(table));
    if (!HeapTupleIsValid(tuple)) return InvalidOid;
    const Oid owner = reinterpret_cast<Form_pg_class>(GETSTRUCT(tuple))->relowner;
    ReleaseSysCache(tuple);
    return owner;
}

Oid require_owner(Oid table) {
    const Oid owner = owner_of(table);
    if (!OidIsValid(owner))
        ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT), errmsg("there is no table with OID %u", table)));
    if (!has_privs_of_role(GetUserId(), owner))
        ereport(ERROR,
                (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), errmsg("must be owner of table %s", get_rel_name(table))));
    return owner;
}

void require_monitor(const char *what) {
    if (has_privs_of_role(GetUserId(), ROLE_PG_MONITOR)) return;
    ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), errmsg("permission denied for %s", what),
                    errdetail("Only members of pg_monitor can use it."),
                    errhint("A superuser can run: GRANT pg_monitor TO %s;", pg::quoted_user())));
}

Caller become(Oid role) {
    Caller before;
    GetUserIdAndSecContext(&before.user, &before.context);
    SetUserIdAndSecContext(role, before.context | SECURITY_RESTRICTED_OPERATION);
    return before;
}

void become(const Caller &before) { SetUserIdAndSecContext(before.user, before.context); }

}  // namespace snowid::server
