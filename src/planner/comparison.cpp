#include "planner/comparison.hpp"

extern "C" {
#include "catalog/pg_type_d.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
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

}  // namespace snowid::planner
