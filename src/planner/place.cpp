// The planner asks us to simplify a call, but does not say where the call is. So we look for it in the query as it was
// before the simplification.
#include "planner/time_filter.hpp"

#include "pg/compat.hpp"
#include "pg/node.hpp"

extern "C" {
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
}

namespace snowid::planner {
namespace {

// The call of a time filter that is looked for in a query.
struct Search {
    const TimeFilter &filter;
    const FuncExpr *call;  // its arguments are simplified, but in the query they are not yet
};

List *simplified_args(PlannerInfo *root, const OpExpr *op) {
    Node *args = copied(op->args);
    if (root->hasJoinRTEs) args = pg::flatten_join_aliases(root, args);
    return pg::as<List>(eval_const_expressions(root, args));
}

bool is_sought(const Search &search, const OpExpr *op) {
    return get_opcode(op->opno) == search.call->funcid &&
           equal(simplified_args(search.filter.root, op), search.call->args);
}

bool is_filter_of_same_id(const Search &search, const Node *qual) {
    const auto *clause = pg::as<OpExpr>(qual);
    const Oid function = clause == nullptr ? InvalidOid : get_opcode(clause->opno);
    const std::optional<StrategyNumber> op = filter_op(function);
    if (!op) return false;
    List *args = simplified_args(search.filter.root, clause);
    const std::optional<TimeFilter> filter = read_time_filter(search.filter.root, function, args, *op);
    return filter && equal(filter->id, search.filter.id);
}

Place place_in_quals(const Search &search, const Node *quals);

Place place_in_and(const Search &search, const List *parts) {
    bool again = false;
    const ListCell *cell;
    foreach (cell, parts) {
        const auto *part = static_cast<const Node *>(lfirst(cell));
        const Place found = place_in_quals(search, part);
        if (found != Place::elsewhere) return again ? Place::later_condition : found;
        again |= is_filter_of_same_id(search, part);
    }
    return Place::elsewhere;
}

Place place_in_quals(const Search &search, const Node *quals) {
    if (const auto *list = pg::as<List>(quals)) return place_in_and(search, list);
    if (const auto *parts = pg::as<BoolExpr>(quals))
        return parts->boolop == AND_EXPR ? place_in_and(search, parts->args) : Place::elsewhere;
    const auto *op = pg::as<OpExpr>(quals);
    return op != nullptr && is_sought(search, op) ? Place::condition : Place::elsewhere;
}

Place place_in_from(const Search &search, const Node *from);

Place place_in_any_of(const Search &search, const List *list) {
    const ListCell *cell;
    foreach (cell, list) {
        const Place found = place_in_from(search, static_cast<const Node *>(lfirst(cell)));
        if (found != Place::elsewhere) return found;
    }
    return Place::elsewhere;
}

// An outer join's condition removes no row of its outer side, and rows of its other side may turn into NULLs.
Place place_in_from(const Search &search, const Node *from) {
    if (const auto *list = pg::as<FromExpr>(from)) {
        const Place found = place_in_quals(search, list->quals);
        return found != Place::elsewhere ? found : place_in_any_of(search, list->fromlist);
    }
    const auto *join = pg::as<JoinExpr>(from);
    if (join == nullptr) return Place::elsewhere;
    if (join->jointype == JOIN_LEFT) return place_in_from(search, join->larg);
    if (join->jointype != JOIN_INNER) return Place::elsewhere;
    const Place found = place_in_quals(search, join->quals);
    return found != Place::elsewhere ? found : place_in_any_of(search, list_make2(join->larg, join->rarg));
}

bool holds_sought(Node *node, void *search) {
    if (node == nullptr) return false;
    const auto *op = pg::as<OpExpr>(node);
    if (op != nullptr && is_sought(*static_cast<const Search *>(search), op)) return true;
    return pg::walk_expression(node, holds_sought, search);
}

// RETURNING and the checks of policies and views see the new row, about which WHERE says nothing.
bool is_of_new_rows(Search search) {
    const Query *query = search.filter.root->parse;
    return holds_sought(reinterpret_cast<Node *>(query->returningList), &search) ||
           holds_sought(reinterpret_cast<Node *>(query->withCheckOptions), &search);
}

}  // namespace

// Once the planner knows the tables, it also asks about expressions that do not belong to this query level, such as
// constraints or the quals of children.
Place place_of(const TimeFilter &filter, const FuncExpr *call) {
    if (filter.root == nullptr || filter.root->simple_rel_array != nullptr) return Place::elsewhere;
    const Search search{filter, call};
    if (is_of_new_rows(search)) return Place::elsewhere;
    return place_in_from(search, reinterpret_cast<const Node *>(filter.root->parse->jointree));
}

}  // namespace snowid::planner
