// How the time filters of uuids, of the extension's own types of fixed bytes, and of snowflakes differ.
#include "pg/compat.hpp"
#include "pg/node.hpp"
#include "planner/time_filter.hpp"
#include "server/durable/layout_record.hpp"
#include "server/durable/tables.hpp"

extern "C" {
#include "access/table.h"
#include "catalog/pg_operator_d.h"
#include "catalog/pg_type_d.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "optimizer/clauses.h"
#include "parser/parse_coerce.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
}

namespace snowid::planner {
namespace {

// Where a time filter is in its query. Some filters are NULL for some ids. The filter's place decides whether anything
// sees a row that does not pass, and so could distinguish NULL from false.
enum class Place : std::uint8_t {
    elsewhere,        // under NOT, in a target list, in the condition of an outer join: something may see the NULL
    condition,        // in the AND of WHERE or of an inner join, and nothing else sees a row that does not pass
    later_condition,  // the same, after another time filter of the same id: no id without a time gets this far
};

// The planner asks us to simplify a call, but does not say where the call is. So we look for it in the query as it was
// before the simplification.

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

// Once the planner knows the tables, it also asks about expressions that do not belong to this query level, such as
// constraints or the quals of children.
Place place_of(const TimeFilter &filter, const FuncExpr *call) {
    if (filter.root == nullptr || filter.root->simple_rel_array != nullptr) return Place::elsewhere;
    const Search search{filter, call};
    if (is_of_new_rows(search)) return Place::elsewhere;
    return place_in_from(search, reinterpret_cast<const Node *>(filter.root->parse->jointree));
}

// Time filters of uuid. A uuid of a version other than 7 has no time, and its filter is NULL. Comparisons of the bytes
// are not NULL. So they can replace the filter only where NULL is as good as false, and only together with a check of
// the version. The check is left out if a constraint of the table already makes it.

// No uuid of version 7 equals the bounds of an empty range, so one comparison is enough.
Expr *uuid_comparison(const TimeFilter &filter) {
    if (filter.is_below()) return filter.compare(BTLessEqualStrategyNumber, filter.last());
    return filter.compare(BTGreaterEqualStrategyNumber, filter.first());
}

bool is_check_of(const Node *node, AttrNumber column, Oid check) {
    const auto *call = pg::as<FuncExpr>(node);
    if (call == nullptr || call->funcid != check) return false;
    const auto *of = pg::as<Var>(pg::nth(call->args, 0));
    return of != nullptr && of->varattno == column;
}

bool holds_check_of(const ConstrCheck &constraint, AttrNumber column, Oid check) {
    if (!constraint.ccvalid || constraint.ccnoinherit) return false;
    const ListCell *cell;
    foreach (cell, make_ands_implicit(static_cast<Expr *>(stringToNode(constraint.ccbin))))
        if (is_check_of(static_cast<const Node *>(lfirst(cell)), column, check)) return true;
    return false;
}

// Whether the id is a column of a table that has the constraint. If the table's constraints change, its plans are
// invalidated.
bool is_checked_by_table(const TimeFilter &filter, Oid check) {
    const auto *id = pg::as<Var>(filter.id);
    if (id == nullptr || id->varlevelsup != 0) return false;
    const RangeTblEntry *entry = rt_fetch(id->varno, filter.root->parse->rtable);
    if (entry->rtekind != RTE_RELATION) return false;
    Relation table = table_open(entry->relid, NoLock);
    const TupleConstr *constraints = RelationGetDescr(table)->constr;
    bool found = false;
    for (int i = 0; constraints != nullptr && i < constraints->num_check && !found; ++i)
        found = holds_check_of(constraints->check[i], id->varattno, check);
    table_close(table, NoLock);
    return found;
}

// Adds the check of the version, unless the filter's place or the table makes it unnecessary.
List *with_check(List *comparisons, const TimeFilter &filter, Place place) {
    if (place == Place::later_condition) return comparisons;
    Node *check = filter.call("valid", list_make1(copied(filter.id)));
    const auto *call = pg::as<FuncExpr>(check);
    const bool is_known = call != nullptr && is_checked_by_table(filter, call->funcid);
    return is_known ? comparisons : lappend(comparisons, check);
}

// The check of the version contains the id once more, and the comparisons of a range contain both sides twice. A
// subplan would run twice.
Expr *uuid_replacement(const TimeFilter &filter, const FuncExpr *call) {
    if (contain_subplans(filter.id) || (filter.is_range() && contain_subplans(filter.when))) return nullptr;
    const Place place = place_of(filter, call);
    if (place == Place::elsewhere) return nullptr;
    return make_ands_explicit(with_check(filter.comparisons(), filter, place));
}

constinit const IdKind kUuids{"uuidv7", uuid_comparison, uuid_replacement, always};

// Time filters of the extension's own types of fixed bytes. All their values are ids with a time, even those at the two
// ends. If no id passes the filter, `id >= T_first(...)` alone would still be true for the last id, so two comparisons
// are needed.

// With now(), the bound is NULL if no id passes. So one comparison is enough where NULL is as good as false.
Expr *comparison_by_now(const TimeFilter &filter, const FuncExpr *call) {
    Node *bound = filter.is_below() ? filter.last_by_now() : filter.first_by_now();
    if (bound == nullptr || place_of(filter, call) == Place::elsewhere) return nullptr;
    return filter.compare(filter.is_below() ? BTLessEqualStrategyNumber : BTGreaterEqualStrategyNumber, bound);
}

// The two comparisons contain the id and the time twice, and a subplan would run twice.
Expr *wide_replacement(const TimeFilter &filter, const FuncExpr *call) {
    if (contain_subplans(filter.id) || contain_subplans(filter.when)) return nullptr;
    Expr *by_now = comparison_by_now(filter, call);
    return by_now != nullptr ? by_now : make_ands_explicit(filter.comparisons());
}

constinit const IdKind kWideIds{nullptr, nullptr, wide_replacement, always};

// Time filters of snowflakes. Their bounds come from the layout that the database has recorded. If a layout uses the
// sign bit, its latest ids are negative. The bounds cover the ids that are not negative, and snowflake_time() decides
// about the others.

bool uses_sign_bit() { return server::recorded_layout().is_unsigned(); }

// `id >= t` is the same as `id > snowflake_last(t, '<')` for every bigint except the smallest one if t is '-infinity'.
// Nobody makes that id.
Expr *snowflake_comparison(const TimeFilter &filter) {
    if (filter.is_below()) return filter.compare(BTLessEqualStrategyNumber, filter.last());
    return filter.compare(BTGreaterStrategyNumber, filter.last_left_out());
}

// The filter as the user wrote it, with snowflake_time().
Expr *time_comparison(const TimeFilter &filter) {
    Node *time = filter.call("time", list_make1(as_type(copied(filter.id), INT8OID))), *when = copied(filter.when);
    if (!filter.is_range()) return make_comparison(time, filter.op, when);
    Expr *clause = make_opclause(OID_RANGE_ELEM_CONTAINED_OP, BOOLOID, false, reinterpret_cast<Expr *>(time),
                                 reinterpret_cast<Expr *>(when), InvalidOid, InvalidOid);
    set_opfuncid(reinterpret_cast<OpExpr *>(clause));
    return clause;
}

Expr *with_negative_ids(const TimeFilter &filter, List *of_others) {
    Node *zero = bigint_of(0);
    Expr *is_other = filter.compare(BTGreaterEqualStrategyNumber, zero);
    Expr *is_negative = filter.compare(BTLessStrategyNumber, zero);
    if (filter.is_below())
        return make_andclause(lappend(of_others, make_orclause(list_make2(is_other, time_comparison(filter)))));
    return make_orclause(list_make2(make_andclause(lappend(of_others, is_other)),
                                    make_andclause(list_make2(is_negative, time_comparison(filter)))));
}

// A single comparison contains each side once. Any other replacement may contain a side twice, and a subplan would run
// twice.
Expr *snowflake_replacement(const TimeFilter &filter, const FuncExpr * /*call*/) {
    const bool is_single = !filter.is_range() && !uses_sign_bit();
    if (!is_single && (contain_subplans(filter.id) || contain_subplans(filter.when))) return nullptr;
    List *all = filter.comparisons();
    depend_on(filter.root, server::extension_tables().layout);
    return uses_sign_bit() ? with_negative_ids(filter, all) : make_ands_explicit(all);
}

bool snowflake_comparisons_find_all(const TimeFilter &filter) { return filter.is_below() || !uses_sign_bit(); }

}  // namespace

constinit const IdKind kSnowflakeIds{"snowflake", snowflake_comparison, snowflake_replacement,
                                     snowflake_comparisons_find_all};

const IdKind &kind_of(Oid id_type) {
    if (id_type == UUIDOID) return kUuids;
    return IsBinaryCoercible(id_type, INT8OID) ? kSnowflakeIds : kWideIds;
}

}  // namespace snowid::planner
