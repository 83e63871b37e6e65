#include "planner/implied/implied.hpp"

#include "planner/implied/use.hpp"

extern "C" {
#include "catalog/pg_type_d.h"
#include "nodes/pathnodes.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"
}

namespace snowid::planner {
namespace {

// Where in the text of a query such a condition stands. No other node has this place, and all copies of a node keep it.
constexpr int kMark = -41'041;

// A comparison, as seen from the side that is computed from an id.
struct Side {
    Node *derived;
    Node *other;
    bool is_turned;
};

bool is_here(const RelOptInfo *relation, const Source &source) {
    return source.kind != SourceKind::none && source.relation == relation->relid;
}

bool is_derived(Node *expression) { return read_local_time(expression, nullptr).source.kind != SourceKind::none; }

// Whether the other side is the same for all rows of the relation, or at least for those that join one row of others,
// where only an index is worth the bounds.
bool is_known(PlannerInfo *root, const RelOptInfo *relation, const Source &source, Node *other) {
    if (contain_subplans(other) || contain_volatile_functions(other)) return false;
    const Relids of = pull_varnos(root, other);
    if (bms_is_member(static_cast<int>(relation->relid), of)) return false;
    const Use use = use_of(root, relation, source.column);
    return bms_is_empty(of) ? use != Use::none : use == Use::index && !is_derived(other);
}

std::optional<StrategyNumber> time_operator(Oid op, bool is_turned) {
    const Oid function = get_opcode(op);
    if (function == F_ELEM_CONTAINED_BY_RANGE || function == F_RANGE_CONTAINS_ELEM)
        return is_turned == (function == F_RANGE_CONTAINS_ELEM) ? std::optional(InvalidStrategy) : std::nullopt;
    const Oid family = lookup_type_cache(TIMESTAMPTZOID, TYPECACHE_BTREE_OPFAMILY)->btree_opf;
    const int strategy = get_op_opfamily_strategy(op, family);
    if (strategy == InvalidStrategy) return std::nullopt;
    return static_cast<StrategyNumber>(is_turned ? BTMaxStrategyNumber + 1 - strategy : strategy);
}

List *implied_by_times(PlannerInfo *root, const RelOptInfo *relation, Oid op, const Side &side) {
    const LocalTime time = read_local_time(side.derived, nullptr);
    if (!is_here(relation, time.source)) return NIL;
    const std::optional<StrategyNumber> strategy = time_operator(op, side.is_turned);
    if (!strategy || (*strategy == InvalidStrategy && exprType(side.other) != TSTZRANGEOID)) return NIL;
    return is_known(root, relation, time.source, side.other) ? implied_by_time(root, time, *strategy, side.other) : NIL;
}

// Only texts of the same bytes are equal.
bool is_equality_of_bytes(Oid op, Oid collation) {
    return get_opcode(op) == F_TEXTEQ && OidIsValid(collation) && get_collation_isdeterministic(collation);
}

List *implied_by_texts(PlannerInfo *root, const RelOptInfo *relation, const Side &side) {
    const Source text = read_source(side.derived, nullptr);
    if (!is_here(relation, text) || text.kind == SourceKind::time) return NIL;
    return is_known(root, relation, text, side.other) ? implied_by_text(root, text, side.other) : NIL;
}

List *implied_by_comparison(PlannerInfo *root, const RelOptInfo *relation, const OpExpr *op) {
    if (list_length(op->args) != 2) return NIL;
    auto *left = static_cast<Node *>(linitial(op->args)), *right = static_cast<Node *>(lsecond(op->args));
    const bool is_text = is_equality_of_bytes(op->opno, op->inputcollid);
    for (const Side &side : {Side{left, right, false}, Side{right, left, true}}) {
        List *implied =
            is_text ? implied_by_texts(root, relation, side) : implied_by_times(root, relation, op->opno, side);
        if (implied != NIL) return implied;
    }
    return NIL;
}

List *implied_by_any(PlannerInfo *root, const RelOptInfo *relation, const ScalarArrayOpExpr *any) {
    if (!any->useOr || !is_equality_of_bytes(any->opno, any->inputcollid)) return NIL;
    auto *array = static_cast<Node *>(lsecond(any->args));
    if (!OidIsValid(get_element_type(exprType(array)))) return NIL;
    return implied_by_texts(root, relation, {static_cast<Node *>(linitial(any->args)), array, false});
}

// A table with an index on the expression needs no more. A parent's children may be pruned.
bool is_served(PlannerInfo *root, const RelOptInfo *relation, const Node *condition) {
    return !planner_rt_fetch(relation->relid, root)->inh && is_covered(relation, condition);
}

// Most conditions are on columns, and cost no more than this look.
bool may_imply(const Node *side) {
    return IsA(side, FuncExpr) || IsA(side, CoerceViaIO) || IsA(side, RelabelType) || IsA(side, PlaceHolderVar);
}

bool may_imply(const List *sides) {
    const ListCell *cell;
    foreach (cell, sides)
        if (may_imply(static_cast<const Node *>(lfirst(cell)))) return true;
    return false;
}

}  // namespace

List *implied_by(PlannerInfo *root, const RelOptInfo *relation, Node *condition) {
    List *implied = NIL;
    if (IsA(condition, OpExpr)) {
        auto *op = reinterpret_cast<OpExpr *>(condition);
        if (may_imply(op->args) && !is_served(root, relation, condition))
            implied = implied_by_comparison(root, relation, op);
        if (implied != NIL) op->location = kMark;
    } else if (IsA(condition, ScalarArrayOpExpr)) {
        auto *any = reinterpret_cast<ScalarArrayOpExpr *>(condition);
        if (may_imply(any->args) && !is_served(root, relation, condition))
            implied = implied_by_any(root, relation, any);
        if (implied != NIL) any->location = kMark;
    }
    return implied;
}

bool has_implied(const Node *condition) {
    if (IsA(condition, OpExpr)) return reinterpret_cast<const OpExpr *>(condition)->location == kMark;
    return IsA(condition, ScalarArrayOpExpr) &&
           reinterpret_cast<const ScalarArrayOpExpr *>(condition)->location == kMark;
}

}  // namespace snowid::planner
