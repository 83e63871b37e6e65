// SQL functions that look into a user's table, or change it. Each stands in front of an internal function with the same
// arguments, of which the first is the table: snowid_partition() calls _snowid.partition_as_owner(), as the table's
// owner. Others stand in front of one whose name ends with _as_caller, so that errors do not tell of what is internal.
#include "pg/compat.hpp"
#include "server/durable/tables.hpp"
#include "server/shared/owner.hpp"

extern "C" {
#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/pg_proc.h"
#include "commands/extension.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
}

using namespace snowid::server;

namespace {

// The function behind this one, X_as_owner or X_as_caller. It is in the schema of what is internal to the extension
// that the function belongs to: of snowid in _snowid.
Oid function_behind(Oid function, const char *suffix) {
    const char *extension = get_extension_name(getExtensionOfObject(ProcedureRelationId, function));
    if (extension == nullptr) return InvalidOid;
    return snowid::server::function_behind(function, suffix, get_namespace_oid(psprintf("_%s", extension), true));
}

// An error's context without the lines from the first internal function to the last. What those have called comes
// before them, and who has called them after.
const char *without_internals(char *context) {
    constexpr const char *kInternal = "_snowid";
    char *first = context != nullptr ? std::strstr(context, kInternal) : nullptr;
    if (first == nullptr) return context;
    const char *last = first;
    while (const char *next = std::strstr(last + 1, kInternal)) last = next;
    while (first > context && first[-1] != '\n') --first;
    const char *rest = std::strchr(last, '\n');
    if (rest != nullptr) return psprintf("%.*s%s", static_cast<int>(first - context), context, rest + 1);
    return first > context ? pnstrdup(context, first - context - 1) : nullptr;
}

// What should never happen is told whole.
[[noreturn]] void throw_again(MemoryContext context) {
    MemoryContextSwitchTo(context);
    ErrorData *error = CopyErrorData();
    FlushErrorState();
    if (error->sqlerrcode != ERRCODE_INTERNAL_ERROR)
        error->context = const_cast<char *>(without_internals(error->context));
    ReThrowError(error);
}

// Hands over the arguments, where a set is to be put, and whether a procedure can commit.
Datum call(FunctionCallInfo caller, Oid function) {
    FmgrInfo info;
    fmgr_info(function, &info);
    fmgr_info_set_expr(caller->flinfo->fn_expr, &info);
    LOCAL_FCINFO(fcinfo, FUNC_MAX_ARGS);
    InitFunctionCallInfoData(*fcinfo, &info, caller->nargs, caller->fncollation, caller->context, caller->resultinfo);
    std::copy_n(caller->args, caller->nargs, fcinfo->args);
    Datum result{};
    MemoryContext context = CurrentMemoryContext;
    PG_TRY();
    { result = FunctionCallInvoke(fcinfo); }
    PG_CATCH();
    { throw_again(context); }
    PG_END_TRY();
    caller->isnull = fcinfo->isnull;
    return result;
}

}  // namespace

SNOWID_FUNCTION(snowid_as_owner) {
    const Oid function = function_behind(fcinfo->flinfo->fn_oid, "_as_owner");
    if (!OidIsValid(function)) elog(ERROR, "nothing is behind %s", get_func_name(fcinfo->flinfo->fn_oid));
    if (PG_ARGISNULL(0)) return call(fcinfo, function);  // which says so
    const Oid owner = require_owner(PG_GETARG_OID(0));
    Datum result{};
    as_role(owner, [&] { result = call(fcinfo, function); });
    return result;
}

SNOWID_FUNCTION(snowid_as_caller) {
    const Oid function = function_behind(fcinfo->flinfo->fn_oid, "_as_caller");
    if (!OidIsValid(function)) elog(ERROR, "nothing is behind %s", get_func_name(fcinfo->flinfo->fn_oid));
    return call(fcinfo, function);
}

// For the functions behind those: nobody gets around the ones in front.
SNOWID_FUNCTION(snowid_require_owner) {
    const Oid table = PG_GETARG_OID(0);
    if (GetUserId() == owner_of(table)) PG_RETURN_VOID();
    ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                    errmsg("an internal function was called as another role than the owner of table %s",
                           quote_literal_cstr(DatumGetCString(DirectFunctionCall1(regclassout, PG_GETARG_DATUM(0)))))));
}
