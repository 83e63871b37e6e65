#include "server/durable/tables.hpp"

#include "server/shared/settings.hpp"

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
#include "commands/extension.h"
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
    Oid schema;             // of CREATE EXTENSION; InvalidOid: not looked up yet
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

// Whether this database has the schema of what is internal, as far as this session knows.
enum class InternalSchema : std::uint8_t { unwatched, unknown, missing, found };
constinit InternalSchema internal_schema = InternalSchema::unwatched;

void forget_schema(Datum, int, uint32) { internal_schema = InternalSchema::unknown; }

// Catalogues are read after what is known of them has been forgotten, so nothing is forgotten in between.
bool find_internal_schema() {
    if (internal_schema == InternalSchema::unwatched)
        CacheRegisterSyscacheCallback(NAMESPACEOID, forget_schema, Datum{0});
    const bool found = OidIsValid(get_namespace_oid(kInternalSchema, true));
    internal_schema = found ? InternalSchema::found : InternalSchema::missing;
    return found;
}

// The row of pg_extension. All zeroes: the extension is not in this database.
struct Extension {
    Oid oid;
    Oid schema;
};

Extension find_extension() {
    Extension found{InvalidOid, InvalidOid};
    ScanKeyData key;
    ScanKeyInit(&key, Anum_pg_extension_extname, BTEqualStrategyNumber, F_NAMEEQ, CStringGetDatum("snowid"));
    Relation extensions = table_open(ExtensionRelationId, AccessShareLock);
    SysScanDesc scan = systable_beginscan(extensions, ExtensionNameIndexId, true, nullptr, 1, &key);
    if (HeapTuple tuple = systable_getnext(scan)) {
        const auto *row = reinterpret_cast<Form_pg_extension>(GETSTRUCT(tuple));
        found = {row->oid, row->extnamespace};
    }
    systable_endscan(scan);
    table_close(extensions, AccessShareLock);
    return found;
}

bool is_own_name(const char *name) {
    constexpr std::string_view kNames[] = {"layout",      "horizon",         "generator", "granted", "partitioned",
                                           "maintenance", "partition_times", "seal_key",  "rebuild", "seal_current"};
    return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

// The only table among the extension's members that has none of their names, or InvalidOid.
Oid renamed_table(Oid extension) {
    Oid found = InvalidOid;
    int count = 0;
    ScanKeyData keys[2];
    ScanKeyInit(&keys[0], Anum_pg_depend_refclassid, BTEqualStrategyNumber, F_OIDEQ,
                ObjectIdGetDatum(ExtensionRelationId));
    ScanKeyInit(&keys[1], Anum_pg_depend_refobjid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(extension));
    Relation depend = table_open(DependRelationId, AccessShareLock);
    SysScanDesc scan = systable_beginscan(depend, DependReferenceIndexId, true, nullptr, std::size(keys), keys);
    while (HeapTuple tuple = systable_getnext(scan)) {
        const auto *row = reinterpret_cast<Form_pg_depend>(GETSTRUCT(tuple));
        if (row->classid != RelationRelationId || row->deptype != DEPENDENCY_EXTENSION ||
            get_rel_relkind(row->objid) != RELKIND_RELATION)
            continue;
        const char *name = get_rel_name(row->objid);
        const bool is_inside = get_rel_namespace(row->objid) == get_namespace_oid(kInternalSchema, true);
        if (name == nullptr || (is_inside && is_own_name(name))) continue;
        found = row->objid;
        ++count;
    }
    systable_endscan(scan);
    table_close(depend, AccessShareLock);
    return count == 1 ? found : InvalidOid;
}

[[noreturn]] void raise_renamed(Oid table, const char *name) {
    const char *schema = get_namespace_name(get_rel_namespace(table)), *now = get_rel_name(table);
    const bool is_moved = std::strcmp(schema, kInternalSchema) != 0;
    const char *rename = std::strcmp(now, name) == 0
                             ? ""
                             : psprintf("ALTER TABLE %s RENAME TO %s;", quote_qualified_identifier(schema, now), name);
    const char *back =
        is_moved ? psprintf(" ALTER TABLE %s SET SCHEMA %s;", quote_qualified_identifier(schema, name), kInternalSchema)
                 : "";
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("the extension's table %s.%s has been renamed or moved", kInternalSchema, name),
                    errdetail("It is %s now.", quote_qualified_identifier(schema, now)),
                    errhint("A superuser can run: %s%s", rename, rename[0] == '\0' ? back + 1 : back)));
}

[[noreturn]] void raise_missing(const char *name) {
    const Oid extension = find_extension().oid;
    if (!OidIsValid(extension))
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("extension \"snowid\" is not in this database"),
                        errhint("A superuser or the database's owner can run: CREATE EXTENSION snowid;")));
    const Oid renamed = renamed_table(extension);
    if (OidIsValid(renamed)) raise_renamed(renamed, name);
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("extension \"snowid\" has lost its table %s.%s", kInternalSchema, name),
                    errhint("Restore the database from a backup.")));
}

Oid require_table(const char *name) {
    const Oid found = extension_table_if_any(name);
    if (!OidIsValid(found)) raise_missing(name);
    return found;
}

ExtensionTables find_tables() {
    return {require_table("layout"), require_table("horizon"), require_table("generator"), require_table("granted")};
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
    return get_relname_relid(name, get_namespace_oid(kInternalSchema, true));
}

Oid conversions_table_if_any() {
    const Oid schema = get_namespace_oid("_snowid_convert", true);
    return OidIsValid(schema) ? get_relname_relid("progress", schema) : InvalidOid;
}

bool may_have_extension() {
    if (internal_schema == InternalSchema::missing) [[likely]]
        return false;
    return internal_schema == InternalSchema::found || find_internal_schema();
}

Oid extension_schema() {
    watch();
    if (cache.valid && OidIsValid(cache.schema)) return cache.schema;
    cache.schema = find_extension().schema;
    return cache.schema;
}

Oid function_of(Oid schema, const char *name, std::span<const Oid> types) {
    return GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(name),
                           PointerGetDatum(buildoidvector(types.data(), static_cast<int>(types.size()))),
                           ObjectIdGetDatum(schema));
}

Oid function_behind(Oid function, const char *suffix, Oid schema) {
    constexpr std::string_view kPrefix = "snowid_";  // only public names have it
    const char *name = get_func_name(function);
    Oid *types = nullptr;
    int count = 0;
    if (name == nullptr) return InvalidOid;
    get_func_signature(function, &types, &count);
    if (std::string_view(name).starts_with(kPrefix)) name += kPrefix.size();
    return function_of(schema, psprintf("%s%s", name, suffix), {types, static_cast<std::size_t>(count)});
}

Oid internal_function_if_any(const char *name, const char *extension) {
    const Oid schema = get_namespace_oid(psprintf("_%s", extension), true);
    const Oid function = function_of(schema, name);
    const bool is_member = OidIsValid(function) &&
                           getExtensionOfObject(ProcedureRelationId, function) == get_extension_oid(extension, true);
    return is_member ? function : InvalidOid;
}

const ExtensionTables &extension_tables() {
    watch();
    if (!cache.valid) {
        const std::uint64_t before = cache.changes;
        cache.tables = find_tables();
        cache.schema = InvalidOid;
        cache.valid = cache.changes == before;
    }
    return cache.tables;
}

Relation open_extension_table(Oid ExtensionTables::*table, LOCKMODE lock) {
    return open_found([&] { return extension_tables().*table; }, lock);
}

Relation open_extension_table(const char *name, LOCKMODE lock) {
    return open_found([name] { return require_table(name); }, lock);
}

void require_columns(Relation table, std::span<const Oid> types) {
    TupleDesc columns = RelationGetDescr(table);
    bool are_own = columns->natts >= std::ssize(types);
    for (int i = 0; are_own && i < std::ssize(types); ++i)
        are_own = TupleDescAttr(columns, i)->atttypid == types[static_cast<std::size_t>(i)];
    if (!are_own)
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("the table %s.%s does not have its own columns", kInternalSchema,
                               RelationGetRelationName(table)),
                        errhint("A superuser can take the change back. If that cannot be done, restore the database "
                                "from a backup.")));
}

std::uint64_t extension_changes() {
    watch();
    return cache.changes;
}

}  // namespace snowid::server
