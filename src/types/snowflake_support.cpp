// Planner support for the comparisons of two snowflakes: they become int8's own, so that the planner finds int8's
// indexes, statistics and partitions.
#include "pg/function.hpp"

extern "C" {
#include "access/stratnum.h"
#include "catalog/pg_opfamily_d.h"
#include "catalog/pg_type_d.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "utils/lsyscache.h"
}

namespace {

Expr *as_int8(Node *argument) {
    return reinterpret_cast<Expr *>(
        applyRelabelType(argument, INT8OID, -1, InvalidOid, COERCE_IMPLICIT_CAST, -1, false));
}

Datum compare_as_int8(FunctionCallInfo fcinfo, StrategyNumber strategy) {
    auto *request = reinterpret_cast<Node *>(PG_GETARG_POINTER(0));
    if (!IsA(request, SupportRequestSimplify)) return Datum{0};
    const List *arguments = reinterpret_cast<SupportRequestSimplify *>(request)->fcall->args;
    const Oid op = get_opfamily_member(INTEGER_BTREE_FAM_OID, INT8OID, INT8OID, static_cast<int16>(strategy));
    Expr *clause = make_opclause(op, BOOLOID, false, as_int8(static_cast<Node *>(linitial(arguments))),
                                 as_int8(static_cast<Node *>(lsecond(arguments))), InvalidOid, InvalidOid);
    set_opfuncid(reinterpret_cast<OpExpr *>(clause));
    PG_RETURN_POINTER(clause);
}

}  // namespace

SNOWID_FUNCTION(snowid_snowflake_lt_support) { return compare_as_int8(fcinfo, BTLessStrategyNumber); }
SNOWID_FUNCTION(snowid_snowflake_le_support) { return compare_as_int8(fcinfo, BTLessEqualStrategyNumber); }
SNOWID_FUNCTION(snowid_snowflake_gt_support) { return compare_as_int8(fcinfo, BTGreaterStrategyNumber); }
SNOWID_FUNCTION(snowid_snowflake_ge_support) { return compare_as_int8(fcinfo, BTGreaterEqualStrategyNumber); }
