// COPY FROM writes rows in batches unless a default is volatile. nextval() is the one exception of PostgreSQL, since it
// does not look at the table. Nor do our generators, but a stable T_next() would give all rows of ADD COLUMN the same
// id. So only where COPY FROM prepares a default, a twin of T_next() that is stable stands in for it.
#include "pg/compat.hpp"
#include "pg/node.hpp"
#include "server/durable/tables.hpp"
#include "server/generator/generators.hpp"
#include "server/generator/snowflake_generator.hpp"

extern "C" {
#include "catalog/namespace.h"
#include "nodes/makefuncs.h"
#include "nodes/supportnodes.h"
}

using namespace snowid::pg;
using namespace snowid::server;

namespace {

// A function has this form only if PostgreSQL's grammar calls it, so nobody can write such a call of the twin.
constexpr CoercionForm kOnlyOurs = COERCE_SQL_SYNTAX;

// BeginCopyFrom() prepares defaults in its own memory context, and outside of queries nothing else is prepared there
// that could hold a volatile call. What a default calls meanwhile has contexts of its own.
bool is_in_copy(const SupportRequestSimplify &request) {
    return request.root == nullptr && std::string_view(CurrentMemoryContext->name) == "COPY";
}

// Who may not execute the function gets the error for it.
Node *twin_call(const FuncExpr *call) {
    const Oid twin = function_behind(call->funcid, "_in_copy", get_namespace_oid(kInternalSchema, true));
    if (!OidIsValid(twin) || !may_execute(call->funcid)) return nullptr;
    return reinterpret_cast<Node *>(
        makeFuncExpr(twin, call->funcresulttype, call->args, call->funccollid, call->inputcollid, kOnlyOurs));
}

void require_copy(FunctionCallInfo fcinfo) {
    const auto *call = as<FuncExpr>(fcinfo->flinfo->fn_expr);
    if (call != nullptr && call->funcformat == kOnlyOurs) [[likely]]
        return;
    ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("only COPY calls this function"),
                    errhint("Use snowflake_next or snowflake_spread.")));
}

}  // namespace

SNOWID_FUNCTION(snowid_next_support) {
    auto *request = reinterpret_cast<Node *>(PG_GETARG_POINTER(0));
    if (!IsA(request, SupportRequestSimplify)) return Datum{0};
    const auto &simplify = *reinterpret_cast<SupportRequestSimplify *>(request);
    PG_RETURN_POINTER(is_in_copy(simplify) ? twin_call(simplify.fcall) : nullptr);
}

SNOWID_FUNCTION(snowid_snowflake_next_in_copy) {
    require_copy(fcinfo);
    return UInt64GetDatum(snowflake_generator.next());
}
SNOWID_FUNCTION(snowid_snowflake_next_in_copy_of) {
    require_copy(fcinfo);
    return UInt64GetDatum(generator_argument<SnowflakeGenerator>(fcinfo, 0).next());
}
SNOWID_FUNCTION(snowid_snowflake_spread_in_copy) {
    require_copy(fcinfo);
    return UInt64GetDatum(snowflake_generator.spread());
}
SNOWID_FUNCTION(snowid_snowflake_spread_in_copy_of) {
    require_copy(fcinfo);
    return UInt64GetDatum(generator_argument<SnowflakeGenerator>(fcinfo, 0).spread());
}
