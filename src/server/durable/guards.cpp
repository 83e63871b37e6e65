#include "server/durable/tables.hpp"

#include "pg/compat.hpp"

extern "C" {
#include "commands/extension.h"
#include "fmgr.h"
#include "nodes/parsenodes.h"
#include "tcop/utility.h"
#include "utils/builtins.h"
}

namespace snowid::server {
namespace {

constinit ProcessUtility_hook_type previous_hook = nullptr;

// What SET, ALTER ROLE ... SET or ALTER DATABASE ... SET is about to change, or nullptr for another statement.
const VariableSetStmt *setting_of(const Node *statement) {
    if (IsA(statement, VariableSetStmt)) return reinterpret_cast<const VariableSetStmt *>(statement);
    if (IsA(statement, AlterRoleSetStmt)) return reinterpret_cast<const AlterRoleSetStmt *>(statement)->setstmt;
    if (IsA(statement, AlterDatabaseSetStmt)) return reinterpret_cast<const AlterDatabaseSetStmt *>(statement)->setstmt;
    return nullptr;
}

// A session cannot change our settings, but one. PostgreSQL's error says so, but not what to do; ours does.
void require_not_ours(const VariableSetStmt *set) {
    if (set == nullptr || set->kind != VAR_SET_VALUE || pg_strncasecmp(set->name, "snowid.", 7) != 0) return;
    if (pg_strcasecmp(set->name, "snowid.infer") == 0) return;       // any session may set it
    if (GetConfigOption(set->name, true, false) == nullptr) return;  // no such setting; PostgreSQL says so
    ereport(ERROR,
            (errcode(ERRCODE_CANT_CHANGE_RUNTIME_PARAM), errmsg("parameter \"%s\" cannot be changed now", set->name),
             errdetail("The parameter applies to the whole server."),
             errhint("Set it in postgresql.conf, or by ALTER SYSTEM SET %s = ...; then reload the configuration: "
                     "SELECT pg_reload_conf(). Some settings need a restart.",
                     set->name)));
}

constexpr const char *kExtension = "snowid_convert";

// What a function of the extension answers, by its OID, because not everybody may name it.
const char *answer(const char *name) {
    const Oid function = internal_function_if_any(name, kExtension);
    if (!OidIsValid(function)) return nullptr;
    FmgrInfo info;
    fmgr_info(function, &info);
    LOCAL_FCINFO(call, 0);
    InitFunctionCallInfoData(*call, &info, 0, InvalidOid, nullptr, nullptr);
    const Datum tables = FunctionCallInvoke(call);
    return call->isnull ? nullptr : TextDatumGetCString(tables);
}

// A statement can drop an extension together with a schema, with an owner, or with another extension. So what counts is
// whether it is gone afterwards.
bool may_drop_extension(const Node *statement) {
    if (IsA(statement, DropOwnedStmt)) return true;
    if (!IsA(statement, DropStmt)) return false;
    const ObjectType type = reinterpret_cast<const DropStmt *>(statement)->removeType;
    return type == OBJECT_EXTENSION || type == OBJECT_SCHEMA;
}

// Tables as a list, or nullptr: those that are being converted, and those that keep their old ids.
struct Conversions {
    const char *under_way;
    const char *with_old_ids;
};

Conversions conversions() { return {answer("tables_under_way"), answer("tables_with_old_ids")}; }

// If the extension is gone, raises an error for the first, or else a notice for the others.
void require_still_there(const Conversions &had) {
    if ((had.under_way == nullptr && had.with_old_ids == nullptr) || OidIsValid(get_extension_oid(kExtension, true)))
        return;
    if (had.under_way != nullptr)
        ereport(ERROR,
                (errcode(ERRCODE_OBJECT_IN_USE),
                 errmsg("the extension \"%s\" cannot be dropped while columns are being converted", kExtension),
                 errdetail("Second columns are in %s.", had.under_way),
                 errhint("Complete these conversions with the statements of snowid_convert_plan. Or give them up: "
                         "CALL snowid_convert('...', target => 'bigserial') drops the second columns of numbers, and "
                         "with target => 'uuidv7' those of UUIDs. A trigger \"~snowid_convert\" that is of no "
                         "conversion can be dropped.")));
    ereport(NOTICE,
            (errmsg("old ids are still kept beside the new ones of %s", had.with_old_ids),
             errhint("snowid_convert_undo and snowid_convert_finish need the extension \"%s\" again.", kExtension)));
}

// NOLINTNEXTLINE(readability-function-size): the parameters are those of the hook
void process_utility(PlannedStmt *statement, const char *query, bool is_read_only, ProcessUtilityContext context,
                     ParamListInfo parameters, QueryEnvironment *environment, DestReceiver *receiver,
                     QueryCompletion *completion) {
    require_not_ours(setting_of(statement->utilityStmt));
    const Conversions had = may_drop_extension(statement->utilityStmt) ? conversions() : Conversions{};
    const auto next = previous_hook != nullptr ? previous_hook : standard_ProcessUtility;
    next(statement, query, is_read_only, context, parameters, environment, receiver, completion);
    require_still_there(had);
}

}  // namespace

void install_guards() {
    previous_hook = ProcessUtility_hook;
    ProcessUtility_hook = process_utility;
}

}  // namespace snowid::server
