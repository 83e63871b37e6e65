// Time filters of uuid. A uuid of a version other than 7 has no time, and its filter is NULL. Comparisons of the bytes
// are not NULL. So they can replace the filter only where NULL is as good as false, and only together with a check of
// the version. The check is left out if a constraint of the table already makes it.
#include "planner/place.hpp"

extern "C" {
#include "access/table.h"
#include "nodes/makefuncs.h"
#include "nodes/pathnodes.h"
#include "optimizer/clauses.h"
#include "parser/parsetree.h"
#include "utils/rel.h"
}

namespace snowid::planner {
namespace {

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

}  // namespace

constinit const IdKind kUuids{"uuidv7", uuid_comparison, uuid_replacement, always};

}  // namespace snowid::planner
