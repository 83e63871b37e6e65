#include "server/durable/set_guard.hpp"

#include "pg/compat.hpp"
#include "server/durable/drop_guard.hpp"

extern "C" {
#include "nodes/parsenodes.h"
#include "tcop/utility.h"
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

void install_set_guard() {
    previous_hook = ProcessUtility_hook;
    ProcessUtility_hook = process_utility;
}

}  // namespace snowid::server
