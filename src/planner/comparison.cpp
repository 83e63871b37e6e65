#include "planner/time_filter.hpp"

#include "pg/node.hpp"

extern "C" {
#include "catalog/pg_collation_d.h"
#include "catalog/pg_type_d.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"
}

namespace snowid::planner {

Node *as_type(Node *value, Oid type) {
    if (exprType(value) == type) return value;
    return applyRelabelType(value, type, -1, InvalidOid, COERCE_IMPLICIT_CAST, -1, false);
}

Expr *make_comparison(Node *left, StrategyNumber op, Node *right) {
    const Oid type = exprType(right);
    const Oid family = lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY)->btree_opf;
    const Oid member = get_opfamily_member(family, type, type, static_cast<int16>(op));
    left = as_type(left, type);
    Expr *clause = make_opclause(member, BOOLOID, false, reinterpret_cast<Expr *>(left),
                                 reinterpret_cast<Expr *>(right), InvalidOid, InvalidOid);
    set_opfuncid(reinterpret_cast<OpExpr *>(clause));
    return clause;
}

Node *name_of(StrategyNumber op) {
    constexpr const char *kNames[] = {nullptr, "<", "<=", nullptr, ">=", ">"};
    const Datum name = CStringGetTextDatum(kNames[op]);
    return reinterpret_cast<Node *>(makeConst(TEXTOID, -1, DEFAULT_COLLATION_OID, -1, name, false, false));
}

Node *bigint_of(std::int64_t value) {
    return reinterpret_cast<Node *>(makeConst(INT8OID, -1, InvalidOid, 8, Int64GetDatum(value), false, true));
}

PGFunction support_of(Oid function) {
    const Oid support = get_func_support(function);
    if (!OidIsValid(support)) return nullptr;
    FmgrInfo found;
    fmgr_info(support, &found);
    return found.fn_addr;
}

void depend_on(PlannerInfo *root, Oid table) {
    if (root != nullptr) root->glob->relationOids = list_append_unique_oid(root->glob->relationOids, table);
}

}  // namespace snowid::planner

using namespace snowid::planner;

namespace {

// Turns a comparison of two snowflakes into int8's own, so that the planner finds int8's indexes, statistics and
// partitions.
Datum support_comparison(FunctionCallInfo fcinfo, StrategyNumber op) {
    auto *request = reinterpret_cast<Node *>(PG_GETARG_POINTER(0));
    if (!IsA(request, SupportRequestSimplify)) return Datum{0};
    const List *args = reinterpret_cast<SupportRequestSimplify *>(request)->fcall->args;
    Node *left = snowid::pg::nth(args, 0), *right = snowid::pg::nth(args, 1);
    PG_RETURN_POINTER(right == nullptr ? nullptr : make_comparison(left, op, as_type(right, INT8OID)));
}

}  // namespace

SNOWID_FUNCTION(snowid_snowflake_lt_support) { return support_comparison(fcinfo, BTLessStrategyNumber); }
SNOWID_FUNCTION(snowid_snowflake_le_support) { return support_comparison(fcinfo, BTLessEqualStrategyNumber); }
SNOWID_FUNCTION(snowid_snowflake_gt_support) { return support_comparison(fcinfo, BTGreaterStrategyNumber); }
SNOWID_FUNCTION(snowid_snowflake_ge_support) { return support_comparison(fcinfo, BTGreaterEqualStrategyNumber); }
