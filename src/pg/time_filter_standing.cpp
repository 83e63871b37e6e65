// Where a time filter stands in its query. The planner asks to simplify a call without saying where it stands, so it is
// looked for in what the query was before.
#include <cstring>

#include "pg/compat.hpp"
#include "pg/time_filter.hpp"

extern "C" {
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
}

namespace snowid::pg {
namespace {

struct Search {
    const TimeFilter &filter;
    const FuncExpr *call;  // simplified, which what stands in the query is not yet
};

List *simplified_args(PlannerInfo *root, const OpExpr *op) {
    Node *args = copied(op->args);
    if (root->hasJoinRTEs) args = flatten_join_aliases(root, args);
    return castNode(List, eval_const_expressions(root, args));
}

// By its name; but anybody can call a function so who may make one there. Only a superuser gives it a support function.
bool is_of_same_scheme(const TimeFilter &filter, Oid function) {
    if (get_func_namespace(function) != get_func_namespace(filter.function)) return false;
    if (!OidIsValid(get_func_support(function))) return false;
    const char *name = get_func_name(function), *prefix = psprintf("%s_time_", filter.scheme());
    return name != nullptr && std::strncmp(name, prefix, std::strlen(prefix)) == 0;
}

bool is_sought(const Search &search, const OpExpr *op) {
    return get_opcode(op->opno) == search.call->funcid &&
           equal(simplified_args(search.filter.root, op), search.call->args);
}

Standing standing_in(const Search &search, const Node *quals);

Standing standing_in_and(const Search &search, const List *parts) {
    bool again = false;
    const ListCell *cell;
    foreach (cell, parts) {
        const auto *part = static_cast<const Node *>(lfirst(cell));
        const Standing found = standing_in(search, part);
        if (found != Standing::anywhere) return again ? Standing::decides_again : found;
        if (!IsA(part, OpExpr)) continue;
        const auto *op = reinterpret_cast<const OpExpr *>(part);
        const Oid function = get_opcode(op->opno);
        if (!is_of_same_scheme(search.filter, function)) continue;
        List *args = simplified_args(search.filter.root, op);
        again |= equal(read_time_filter(search.filter.root, function, args, InvalidStrategy).id, search.filter.id);
    }
    return Standing::anywhere;
}

Standing standing_in(const Search &search, const Node *quals) {
    if (quals == nullptr) return Standing::anywhere;
    if (IsA(quals, List)) return standing_in_and(search, reinterpret_cast<const List *>(quals));
    if (is_andclause(quals)) return standing_in_and(search, reinterpret_cast<const BoolExpr *>(quals)->args);
    if (!IsA(quals, OpExpr)) return Standing::anywhere;
    return is_sought(search, reinterpret_cast<const OpExpr *>(quals)) ? Standing::decides : Standing::anywhere;
}

Standing standing_among(const Search &search, const Node *from);

Standing standing_in_list(const Search &search, const List *list) {
    const ListCell *cell;
    foreach (cell, list) {
        const Standing found = standing_among(search, static_cast<const Node *>(lfirst(cell)));
        if (found != Standing::anywhere) return found;
    }
    return Standing::anywhere;
}

// An outer join does not keep what its condition says from being seen, and only its outer side is what it was before.
Standing standing_among(const Search &search, const Node *from) {
    if (IsA(from, FromExpr)) {
        const auto *list = reinterpret_cast<const FromExpr *>(from);
        const Standing found = standing_in(search, list->quals);
        return found != Standing::anywhere ? found : standing_in_list(search, list->fromlist);
    }
    if (!IsA(from, JoinExpr)) return Standing::anywhere;
    const auto *join = reinterpret_cast<const JoinExpr *>(from);
    if (join->jointype == JOIN_LEFT) return standing_among(search, join->larg);
    if (join->jointype != JOIN_INNER) return Standing::anywhere;
    const Standing found = standing_in(search, join->quals);
    return found != Standing::anywhere ? found : standing_in_list(search, list_make2(join->larg, join->rarg));
}

bool holds_sought(Node *node, void *search) {
    if (node == nullptr) return false;
    if (IsA(node, OpExpr) && is_sought(*static_cast<const Search *>(search), reinterpret_cast<const OpExpr *>(node)))
        return true;
    return walk_expression(node, holds_sought, search);
}

// RETURNING, and what policies and views check, see a row as it has become, of which WHERE says nothing.
bool is_of_new_rows(Search search) {
    const Query *query = search.filter.root->parse;
    return holds_sought(reinterpret_cast<Node *>(query->returningList), &search) ||
           holds_sought(reinterpret_cast<Node *>(query->withCheckOptions), &search);
}

}  // namespace

// Later the planner asks for expressions that are not this query level's own: constraints, or the quals of children.
Standing standing_of(const TimeFilter &filter, const FuncExpr *call) {
    if (filter.root == nullptr || filter.root->simple_rel_array != nullptr) return Standing::anywhere;
    const Search search{filter, call};
    if (is_of_new_rows(search)) return Standing::anywhere;
    return standing_among(search, reinterpret_cast<const Node *>(filter.root->parse->jointree));
}

}  // namespace snowid::pg
