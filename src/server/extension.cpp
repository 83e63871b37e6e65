#include "server/extension.hpp"

#include <cstring>

extern "C" {
#include "access/genam.h"
#include "access/table.h"
#include "catalog/dependency.h"
#include "catalog/indexing.h"
#include "catalog/pg_class.h"
#include "catalog/pg_depend.h"
#include "catalog/pg_extension.h"
#include "commands/extension.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
}

namespace snowid::server {

Oid extension_table(const char *name) {
    Oid found = InvalidOid;
    ScanKeyData keys[2];
    ScanKeyInit(&keys[0], Anum_pg_depend_refclassid, BTEqualStrategyNumber, F_OIDEQ,
                ObjectIdGetDatum(ExtensionRelationId));
    ScanKeyInit(&keys[1], Anum_pg_depend_refobjid, BTEqualStrategyNumber, F_OIDEQ,
                ObjectIdGetDatum(get_extension_oid("snowid", false)));
    Relation depend = table_open(DependRelationId, AccessShareLock);
    SysScanDesc scan = systable_beginscan(depend, DependReferenceIndexId, true, nullptr, 2, keys);
    while (HeapTuple tuple = systable_getnext(scan)) {
        const auto *row = reinterpret_cast<Form_pg_depend>(GETSTRUCT(tuple));
        if (row->classid != RelationRelationId || row->deptype != DEPENDENCY_EXTENSION) continue;
        const char *member = get_rel_name(row->objid);
        if (member != nullptr && std::strcmp(member, name) == 0) found = row->objid;
    }
    systable_endscan(scan);
    table_close(depend, AccessShareLock);
    if (!OidIsValid(found))
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("extension \"snowid\" has lost its table \"%s\"", name)));
    return found;
}

}  // namespace snowid::server
