#include "server/tables/tables.hpp"

#include <algorithm>

#include "server/base/changes.hpp"
#include "server/tables/places.hpp"

extern "C" {
#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_depend.h"
#include "catalog/pg_extension.h"
#include "catalog/pg_proc.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"
}

namespace snowid::server {
namespace {

// The tables as this session has found them, until an invalidation of one of them.
struct Cache {
    bool watched;  // so that this session hears of invalidations
    bool valid;
    std::uint64_t changes;  // how often the tables may have become others
    ExtensionTables tables;
};

constinit Cache cache{};

void forget(Datum, Oid table) {
    const bool named = OidIsValid(table) && (table == cache.tables.generator || table == cache.tables.granted);
    const bool known = table == InvalidOid || table == cache.tables.layout || table == cache.tables.horizon;
    if (cache.valid && !known && !named) return;
    note_change();
    if (cache.valid && named) return;
    cache.valid = false;
    ++cache.changes;
}

void watch() {
    if (!cache.watched) CacheRegisterRelcacheCallback(forget, Datum{0});
    cache.watched = true;
}

// The row of pg_extension. All zeroes: the extension is not in this database.
struct Extension {
    Oid oid;
    Oid schema;
    ItemPointerData row;
};

Extension find_extension() {
    Extension found{InvalidOid, InvalidOid, {}};
    ScanKeyData key;
    ScanKeyInit(&key, Anum_pg_extension_extname, BTEqualStrategyNumber, F_NAMEEQ, CStringGetDatum("snowid"));
    Relation extensions = table_open(ExtensionRelationId, AccessShareLock);
    SysScanDesc scan = systable_beginscan(extensions, ExtensionNameIndexId, true, nullptr, 1, &key);
    if (HeapTuple tuple = systable_getnext(scan)) {
        const auto *row = reinterpret_cast<Form_pg_extension>(GETSTRUCT(tuple));
        found = {row->oid, row->extnamespace, tuple->t_self};
    }
    systable_endscan(scan);
    table_close(extensions, AccessShareLock);
    return found;
}

// Whether the table is a member, and the row of pg_depend that says so.
bool is_member(Oid table, const Extension &extension, ItemPointerData &row) {
    bool found = false;
    ScanKeyData keys[2];
    ScanKeyInit(&keys[0], Anum_pg_depend_classid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(RelationRelationId));
    ScanKeyInit(&keys[1], Anum_pg_depend_objid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(table));
    Relation depend = table_open(DependRelationId, AccessShareLock);
    SysScanDesc scan = systable_beginscan(depend, DependDependerIndexId, true, nullptr, std::size(keys), keys);
    while (HeapTuple tuple = systable_getnext(scan)) {
        const auto *on = reinterpret_cast<Form_pg_depend>(GETSTRUCT(tuple));
        if (on->deptype != DEPENDENCY_EXTENSION || on->refclassid != ExtensionRelationId ||
            on->refobjid != extension.oid)
            continue;
        found = true;
        row = tuple->t_self;
    }
    systable_endscan(scan);
    table_close(depend, AccessShareLock);
    return found;
}

Oid search_table(const char *name) {
    const Extension extension = find_extension();
    if (!OidIsValid(extension.oid)) return InvalidOid;
    const Oid table = get_relname_relid(name, extension.schema);
    ItemPointerData membership;
    if (!OidIsValid(table) || !is_member(table, extension, membership)) return InvalidOid;
    keep_place(name, extension.row, table, membership);
    return table;
}

Oid require_table(Oid found, const char *name) {
    if (!OidIsValid(found))
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("extension \"snowid\" is not in this database, or has lost its table \"%s\"", name),
                        errhint("A superuser or the database's owner can run: CREATE EXTENSION snowid;")));
    return found;
}

ExtensionTables find_tables() {
    constexpr const char *kFirst[] = {"snowid_layout", "snowid_horizon", "snowid_generator", "snowid_granted"};
    Oid found[std::size(kFirst)];
    find_at_places(kFirst, found);
    for (std::size_t i = 0; i < std::size(kFirst); ++i)
        if (!OidIsValid(found[i])) found[i] = search_table(kFirst[i]);
    for (std::size_t i = 0; i < 3; ++i) require_table(found[i], kFirst[i]);
    return {found[0], found[1], found[2], found[3]};
}

// If the table was dropped while we waited for the lock, looks for it again.
template <typename Find>
Relation open_found(const Find &find, LOCKMODE lock) {
    for (;;) {
        if (Relation opened = try_table_open(find(), lock)) return opened;
        CHECK_FOR_INTERRUPTS();
    }
}

}  // namespace

Oid extension_table_if_any(const char *name) {
    Oid known = InvalidOid;
    find_at_places({&name, 1}, {&known, 1});
    return OidIsValid(known) ? known : search_table(name);
}

Oid extension_schema() {
    watch();
    return cache.valid ? get_rel_namespace(cache.tables.layout) : find_extension().schema;
}

Oid internal_function_if_any(const char *name) {
    const Oid function = GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(name),
                                         PointerGetDatum(buildoidvector(nullptr, 0)),
                                         ObjectIdGetDatum(get_namespace_oid(kInternalSchema, true)));
    const bool is_member =
        OidIsValid(function) && getExtensionOfObject(ProcedureRelationId, function) == find_extension().oid;
    return is_member ? function : InvalidOid;
}

const ExtensionTables &extension_tables() {
    watch();
    if (!cache.valid) {
        const std::uint64_t before = cache.changes;
        cache.tables = find_tables();
        cache.valid = cache.changes == before;
    }
    return cache.tables;
}

Relation open_extension_table(Oid ExtensionTables::*table, LOCKMODE lock) {
    return open_found([&] { return extension_tables().*table; }, lock);
}

Relation open_extension_table(const char *name, LOCKMODE lock) {
    return open_found([&] { return require_table(extension_table_if_any(name), name); }, lock);
}

void require_columns(Relation table, const Oid *types, int fewest, int known) {
    TupleDesc columns = RelationGetDescr(table);
    bool are_own = columns->natts >= fewest;
    for (int i = 0; are_own && i < std::min(columns->natts, known); ++i)
        are_own = TupleDescAttr(columns, i)->atttypid == types[i];
    if (!are_own)
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("the table %s does not have its own columns", RelationGetRelationName(table)),
                        errhint("A superuser can take the change back. If that cannot be done, restore the database "
                                "from a backup.")));
}

std::uint64_t extension_changes() {
    watch();
    return cache.changes;
}

}  // namespace snowid::server
