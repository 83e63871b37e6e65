#include "pg/planner.hpp"

#include "pg/compat.hpp"

extern "C" {
#include "catalog/pg_type_d.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"
}

namespace snowid::pg {

Expr *make_comparison(Node *left, StrategyNumber strategy, Node *right) {
    const Oid type = exprType(right);
    const Oid family = lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY)->btree_opf;
    const Oid op = get_opfamily_member(family, type, type, static_cast<int16>(strategy));
    if (exprType(left) != type) left = applyRelabelType(left, type, -1, InvalidOid, COERCE_IMPLICIT_CAST, -1, false);
    Expr *clause = make_opclause(op, BOOLOID, false, reinterpret_cast<Expr *>(left), reinterpret_cast<Expr *>(right),
                                 InvalidOid, InvalidOid);
    set_opfuncid(reinterpret_cast<OpExpr *>(clause));
    return clause;
}

namespace {

// `call` has been simplified, and what stands in the query not yet.
bool is_call(PlannerInfo *root, const OpExpr *op, const FuncExpr *call) {
    if (get_opcode(op->opno) != call->funcid) return false;
    Node *args = copied(op->args);
    if (root->hasJoinRTEs) args = flatten_join_aliases(root, args);
    return equal(eval_const_expressions(root, args), call->args);
}

bool is_among(PlannerInfo *root, const Node *quals, const FuncExpr *call) {
    const List *parts = NIL;
    if (quals == nullptr) return false;
    if (IsA(quals, OpExpr)) return is_call(root, reinterpret_cast<const OpExpr *>(quals), call);
    if (IsA(quals, List)) parts = reinterpret_cast<const List *>(quals);
    if (is_andclause(quals)) parts = reinterpret_cast<const BoolExpr *>(quals)->args;
    const ListCell *cell;
    foreach (cell, parts)
        if (is_among(root, static_cast<const Node *>(lfirst(cell)), call)) return true;
    return false;
}

bool filters(PlannerInfo *root, const Node *from, const FuncExpr *call) {
    if (IsA(from, JoinExpr)) {
        const auto *join = reinterpret_cast<const JoinExpr *>(from);
        const bool inner = join->jointype == JOIN_INNER;
        if (inner && (is_among(root, join->quals, call) || filters(root, join->rarg, call))) return true;
        return (inner || join->jointype == JOIN_LEFT) && filters(root, join->larg, call);
    }
    if (!IsA(from, FromExpr)) return false;
    const auto *list = reinterpret_cast<const FromExpr *>(from);
    if (is_among(root, list->quals, call)) return true;
    const ListCell *cell;
    foreach (cell, list->fromlist)
        if (filters(root, static_cast<const Node *>(lfirst(cell)), call)) return true;
    return false;
}

}  // namespace

bool decides_rows(PlannerInfo *root, const FuncExpr *call) {
    if (root == nullptr || root->simple_rel_array != nullptr) return false;
    return filters(root, reinterpret_cast<const Node *>(root->parse->jointree), call);
}

}  // namespace snowid::pg
