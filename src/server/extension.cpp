#include "server/extension.hpp"

#include <cstring>

#include "server/attached_generator.hpp"

extern "C" {
#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/dependency.h"
#include "catalog/indexing.h"
#include "catalog/pg_class.h"
#include "catalog/pg_depend.h"
#include "catalog/pg_extension.h"
#include "commands/extension.h"
#include "utils/fmgroids.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
}

namespace snowid::server {
namespace {

struct Cache {
    bool watched;
    bool valid;
    std::uint64_t changes;
    ExtensionTables tables;
};

constinit Cache cache{};

void forget(Datum, Oid table) {
    const bool named = table == cache.tables.generator;
    const bool known = table == InvalidOid || table == cache.tables.layout || table == cache.tables.horizon;
    if (cache.valid && !known && !named) return;
    forget_all();
    if (cache.valid && named) return;
    cache.valid = false;
    ++cache.changes;
}

void watch() {
    if (!cache.watched) CacheRegisterRelcacheCallback(forget, Datum{0});
    cache.watched = true;
}

Oid find_table(const char *name) {
    const Oid found = extension_table_if_any(name);
    if (!OidIsValid(found))
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("extension \"snowid\" is not in this database, or has lost its table \"%s\"", name)));
    return found;
}

}  // namespace

Oid extension_table_if_any(const char *name) {
    const Oid extension = get_extension_oid("snowid", true);
    if (!OidIsValid(extension)) return InvalidOid;
    Oid found = InvalidOid;
    ScanKeyData keys[2];
    ScanKeyInit(&keys[0], Anum_pg_depend_refclassid, BTEqualStrategyNumber, F_OIDEQ,
                ObjectIdGetDatum(ExtensionRelationId));
    ScanKeyInit(&keys[1], Anum_pg_depend_refobjid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(extension));
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
    return found;
}

const ExtensionTables &extension_tables() {
    watch();
    if (!cache.valid) {
        const std::uint64_t before = cache.changes;
        cache.tables = {find_table("snowid_layout"), find_table("snowid_horizon"), find_table("snowid_generator")};
        cache.valid = cache.changes == before;
    }
    return cache.tables;
}

std::uint64_t extension_changes() {
    watch();
    return cache.changes;
}

}  // namespace snowid::server
