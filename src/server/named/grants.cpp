#include "server/named/grants.hpp"

#include "pg/type/arguments.hpp"
#include "server/durable/rows.hpp"
#include "server/durable/tables.hpp"

extern "C" {
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/pg_type_d.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
}

namespace snowid::server {
namespace {

constexpr const char *kTable = "granted";

bool is_public(const char *role) { return std::strcmp(role, "public") == 0; }

const char *current_user() { return GetUserNameFromId(GetUserId(), false); }

Relation open_grants(LOCKMODE lock) {
    constexpr Oid kTypes[] = {TEXTOID, TEXTOID};
    Relation table = open_extension_table(kTable, lock);
    require_columns(table, kTypes);
    return table;
}

// Calls `see` with each row of the generator, and the role in it.
template <typename See>
void each_grant(Relation table, const char *generator, See see) {
    ScanKeyData key = key_for(1, F_TEXTEQ, false, CStringGetTextDatum(generator));
    look_up(table, nullptr, &key, 1, [&](HeapTuple tuple) {
        Datum values[2];
        bool nulls[2];
        pg::first_columns(tuple, RelationGetDescr(table), values, nulls);
        if (std::strcmp(TextDatumGetCString(values[0]), generator) == 0) see(tuple, values[1]);
    });
}

void add_grant(Relation table, const char *generator, Datum role) {
    Datum values[] = {CStringGetTextDatum(generator), role};
    bool nulls[std::size(values)] = {};
    insert_row(table, row_of_columns(table, values, nulls));
}

bool is_granted(const ArrayType *granted_to) {
    if (superuser()) return true;
    Datum *names = nullptr;
    int count = 0;
    deconstruct_array(const_cast<ArrayType *>(granted_to), TEXTOID, -1, false, TYPALIGN_INT, &names, nullptr, &count);
    return std::any_of(names, names + count, [](Datum name) {
        const Oid role = get_role_oid(TextDatumGetCString(name), true);
        return OidIsValid(role) && has_privs_of_role(GetUserId(), role);
    });
}

void notice_open(const GeneratorRecord &record) {
    ereport(NOTICE, (errmsg("everybody may use generator \"%s\"", record.name),
                     errhint("To restrict it, first run: SELECT snowid_generator_revoke(%s, 'public');",
                             quote_literal_cstr(record.name))));
}

bool open_to_everybody(GeneratorRecord &record) {
    if (!record.restricted) return false;
    drop_grants(record.name);
    record.restricted = false;
    return true;
}

}  // namespace

bool has_grant(Relation table, const char *generator, const char *role) {
    bool found = false;
    each_grant(table, generator,
               [&](HeapTuple, Datum known) { found = found || std::strcmp(TextDatumGetCString(known), role) == 0; });
    return found;
}

const ArrayType *granted_roles(const GeneratorRecord &record) {
    if (!record.restricted) return nullptr;
    ArrayBuildState *roles = initArrayResult(TEXTOID, CurrentMemoryContext, false);
    Relation table = open_grants(AccessShareLock);
    each_grant(table, record.name,
               [&](HeapTuple, Datum role) { accumArrayResult(roles, role, false, TEXTOID, CurrentMemoryContext); });
    table_close(table, AccessShareLock);
    return DatumGetArrayTypeP(makeArrayResult(roles, CurrentMemoryContext));
}

void require_grant(const char *generator, const ArrayType *granted_to) {
    if (granted_to == nullptr || is_granted(granted_to)) return;
    ereport(ERROR,
            (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), errmsg("permission denied for generator \"%s\"", generator),
             errdetail("Only some roles may use it, and \"%s\" is not a member of any of them.", current_user()),
             errhint("A role that may alter generators can run: SELECT snowid_generator_grant(%s, %s);",
                     quote_literal_cstr(generator), quote_literal_cstr(current_user()))));
}

bool grant(GeneratorRecord &record, const char *role) {
    if (is_public(role)) return open_to_everybody(record);
    get_role_oid(role, false);
    if (!record.restricted) {
        notice_open(record);
        return false;
    }
    Relation table = open_grants(RowExclusiveLock);
    const bool is_new = !has_grant(table, record.name, role);
    if (is_new) add_grant(table, record.name, CStringGetTextDatum(role));
    close_changed(table);
    return is_new;
}

// A role that no longer exists can still be removed.
bool revoke(GeneratorRecord &record, const char *role) {
    if (is_public(role)) {
        if (record.restricted) return false;
        restrict_to_current_user(record);
        return true;
    }
    Relation table = open_grants(RowExclusiveLock);
    bool is_known = false;
    each_grant(table, record.name, [&](HeapTuple tuple, Datum known) {
        if (std::strcmp(TextDatumGetCString(known), role) != 0) return;
        CatalogTupleDelete(table, &tuple->t_self);
        is_known = true;
    });
    close_changed(table);
    if (is_known) return true;
    get_role_oid(role, false);
    if (!record.restricted)
        notice_open(record);
    else
        ereport(NOTICE, (errmsg("generator \"%s\" has not been granted to role \"%s\"", record.name, role)));
    return false;
}

// What a restore may have brought for a generator of that name counts no longer.
void restrict_to_current_user(GeneratorRecord &record) {
    drop_grants(record.name);
    Relation table = open_grants(RowExclusiveLock);
    add_grant(table, record.name, CStringGetTextDatum(current_user()));
    close_changed(table);
    record.restricted = true;
}

void rename_grants(const char *generator, const char *to) {
    drop_grants(to);
    Relation table = open_grants(RowExclusiveLock);
    each_grant(table, generator, [&](HeapTuple tuple, Datum role) {
        add_grant(table, to, role);
        CatalogTupleDelete(table, &tuple->t_self);
    });
    close_changed(table);
}

void drop_grants(const char *generator) {
    Relation table = open_grants(RowExclusiveLock);
    each_grant(table, generator, [&](HeapTuple tuple, Datum) { CatalogTupleDelete(table, &tuple->t_self); });
    close_changed(table);
}

}  // namespace snowid::server
