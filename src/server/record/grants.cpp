#include "server/record/grants.hpp"

#include "pg/error.hpp"

extern "C" {
#include "catalog/pg_type_d.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
}

namespace snowid::server {
namespace {

bool is_public(const char *role) { return std::strcmp(role, "public") == 0; }

struct Names {
    Datum *all;
    int count;

    bool has(const char *name) const {
        return std::any_of(all, all + count,
                           [name](Datum known) { return std::strcmp(TextDatumGetCString(known), name) == 0; });
    }
    const ArrayType *array() const { return construct_array(all, count, TEXTOID, -1, false, TYPALIGN_INT); }
};

// Leaves room for one more. A restored row may contain NULL.
Names names_of(const ArrayType *granted_to) {
    Names names{};
    bool *nulls = nullptr;
    int count = 0;
    Datum *all = nullptr;
    deconstruct_array(const_cast<ArrayType *>(granted_to), TEXTOID, -1, false, TYPALIGN_INT, &all, &nulls, &count);
    names.all = static_cast<Datum *>(palloc(sizeof(Datum) * (static_cast<Size>(count) + 1)));
    for (int i = 0; i < count; ++i)
        if (!nulls[i]) names.all[names.count++] = all[i];
    return names;
}

bool is_granted(const ArrayType *granted_to) {
    if (superuser()) return true;
    const Names names = names_of(granted_to);
    return std::any_of(names.all, names.all + names.count, [](Datum name) {
        const Oid role = get_role_oid(TextDatumGetCString(name), true);
        return OidIsValid(role) && has_privs_of_role(GetUserId(), role);
    });
}

void notice_open(const GeneratorRecord &record) {
    ereport(NOTICE, (errmsg("everybody may use generator \"%s\"", record.name),
                     errhint("To restrict it, first run: SELECT snowid_generator_revoke(%s, 'public');",
                             quote_literal_cstr(record.name))));
}

}  // namespace

void require_grant(const char *generator, const ArrayType *granted_to) {
    if (granted_to == nullptr || is_granted(granted_to)) return;
    ereport(ERROR,
            (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), errmsg("permission denied for generator \"%s\"", generator),
             errdetail("Only some roles may use it, and \"%s\" is not a member of any of them.",
                       GetUserNameFromId(GetUserId(), false)),
             errhint("A role that may alter generators can run: SELECT snowid_generator_grant(%s, %s);",
                     quote_literal_cstr(generator), quote_literal_cstr(GetUserNameFromId(GetUserId(), false)))));
}

const ArrayType *granted_to_current_user() {
    Datum name = CStringGetTextDatum(GetUserNameFromId(GetUserId(), false));
    return Names{&name, 1}.array();
}

const ArrayType *granted(const GeneratorRecord &record, const char *role) {
    if (is_public(role)) return nullptr;
    get_role_oid(role, false);
    if (record.granted_to == nullptr) {
        notice_open(record);
        return nullptr;
    }
    Names names = names_of(record.granted_to);
    if (!names.has(role)) names.all[names.count++] = CStringGetTextDatum(role);
    return names.array();
}

// A role that no longer exists can still be removed.
const ArrayType *revoked(const GeneratorRecord &record, const char *role) {
    if (is_public(role)) return record.granted_to != nullptr ? record.granted_to : granted_to_current_user();
    Names names = record.granted_to == nullptr ? Names{} : names_of(record.granted_to);
    const bool is_known = names.has(role);
    if (!is_known) get_role_oid(role, false);
    if (record.granted_to == nullptr) {
        notice_open(record);
        return nullptr;
    }
    if (!is_known) ereport(NOTICE, (errmsg("generator \"%s\" has not been granted to role \"%s\"", record.name, role)));
    Datum *end = std::remove_if(names.all, names.all + names.count,
                                [role](Datum known) { return std::strcmp(TextDatumGetCString(known), role) == 0; });
    names.count = static_cast<int>(end - names.all);
    return names.array();
}

}  // namespace snowid::server
