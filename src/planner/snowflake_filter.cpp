// Time filters of snowflakes. Their bounds come from the layout that the database has recorded. If a layout uses the
// sign bit, its latest ids are negative. The bounds cover the ids that are not negative, and snowflake_time() decides
// about the others.
#include "planner/time_filter.hpp"
#include "server/durable/layout_record.hpp"
#include "server/durable/tables.hpp"

extern "C" {
#include "catalog/pg_operator_d.h"
#include "catalog/pg_type_d.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
}

namespace snowid::planner {
namespace {

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

// The plan contains constants that depend on the layout.
void depend_on_layout(PlannerInfo *root) {
    if (root == nullptr) return;
    root->glob->relationOids = list_append_unique_oid(root->glob->relationOids, server::extension_tables().layout);
}

// A single comparison contains each side once. Any other replacement may contain a side twice, and a subplan would run
// twice.
Expr *snowflake_replacement(const TimeFilter &filter, const FuncExpr * /*call*/) {
    const bool is_single = !filter.is_range() && !uses_sign_bit();
    if (!is_single && (contain_subplans(filter.id) || contain_subplans(filter.when))) return nullptr;
    List *all = filter.comparisons();
    depend_on_layout(filter.root);
    return uses_sign_bit() ? with_negative_ids(filter, all) : make_ands_explicit(all);
}

bool snowflake_comparisons_find_all(const TimeFilter &filter) { return filter.is_below() || !uses_sign_bit(); }

}  // namespace

constinit const IdKind kSnowflakeIds{"snowflake", snowflake_comparison, snowflake_replacement,
                                     snowflake_comparisons_find_all};

}  // namespace snowid::planner
