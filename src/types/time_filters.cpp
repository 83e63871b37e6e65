// Planner support and estimates for the time filters of every type.
#include <cstring>

#include "pg/function.hpp"
#include "pg/time_filter.hpp"
#include "pg/type_time_filter.hpp"
#include "server/extension.hpp"
#include "server/layout_record.hpp"

extern "C" {
#include "catalog/pg_operator_d.h"
#include "catalog/pg_type_d.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/paths.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
}

using namespace snowid::pg;

namespace {

bool is_uuid(const TimeFilter &filter) { return exprType(filter.id) == UUIDOID; }
bool is_snowflake(const TimeFilter &filter) { return std::strcmp(filter.scheme(), "snowflake") == 0; }
bool uses_sign_bit(const TimeFilter &filter) {
    return is_snowflake(filter) && snowid::server::recorded_layout().is_unsigned();
}

// `id >= t` is `id > snowflake_last(t, '<')`: for every bigint but the smallest beside '-infinity', and nobody makes
// that.
Expr *snowflake_comparison(const TimeFilter &filter) {
    if (filter.is_below()) return filter.compare(BTLessEqualStrategyNumber, filter.last());
    return filter.compare(BTGreaterStrategyNumber, filter.last_left_out());
}

// No uuid of version 7 is beyond the ends that stand for an empty range.
Expr *uuid_comparison(const TimeFilter &filter) {
    if (filter.is_below()) return filter.compare(BTLessEqualStrategyNumber, filter.last());
    return filter.compare(BTGreaterEqualStrategyNumber, filter.first());
}

bool is_one_comparison(const TimeFilter &filter) {
    return !filter.is_range() && (is_uuid(filter) || is_snowflake(filter));
}

// Their AND holds for ids of such a time. For a uuid it may hold for other versions too; and where a layout uses the
// sign bit it means something for what is not negative only.
List *comparisons(const TimeFilter &filter) {
    if (!is_one_comparison(filter) || filter.is_constant()) return filter.range();
    return list_make1(is_uuid(filter) ? uuid_comparison(filter) : snowflake_comparison(filter));
}

Expr *snowflake_time_comparison(const TimeFilter &filter) {
    Node *time = filter.call("time", list_make1(as_type(copied(filter.id), INT8OID))), *when = copied(filter.when);
    if (!filter.is_range()) return make_comparison(time, filter.op, when);
    Expr *clause = make_opclause(OID_RANGE_ELEM_CONTAINED_OP, BOOLOID, false, reinterpret_cast<Expr *>(time),
                                 reinterpret_cast<Expr *>(when), InvalidOid, InvalidOid);
    set_opfuncid(reinterpret_cast<OpExpr *>(clause));
    return clause;
}

// Where a layout uses the sign bit the latest ids are negative, and snowflake_time() decides on those.
Expr *with_negative_ids(const TimeFilter &filter, List *of_others) {
    auto *zero = reinterpret_cast<Node *>(makeConst(INT8OID, -1, InvalidOid, 8, Int64GetDatum(0), false, true));
    Expr *is_other = filter.compare(BTGreaterEqualStrategyNumber, zero);
    Expr *is_negative = filter.compare(BTLessStrategyNumber, zero);
    if (filter.is_below())
        return make_andclause(
            lappend(of_others, make_orclause(list_make2(is_other, snowflake_time_comparison(filter)))));
    return make_orclause(list_make2(make_andclause(lappend(of_others, is_other)),
                                    make_andclause(list_make2(is_negative, snowflake_time_comparison(filter)))));
}

// The plan holds constants that the layout gave.
void depend_on_layout(PlannerInfo *root) {
    if (root == nullptr) return;
    root->glob->relationOids =
        list_append_unique_oid(root->glob->relationOids, snowid::server::extension_tables().layout);
}

// What stands for a filter may hold either side twice, where one that is volatile would have two values, and a subplan
// would run twice. A single comparison holds each once, but beside that of a uuid its version is looked at.
bool can_stand_in(const TimeFilter &filter) {
    if (contain_volatile_functions(filter.id) || contain_volatile_functions(filter.when)) return false;
    const bool is_single = is_one_comparison(filter) && !uses_sign_bit(filter);
    if (!is_single && contain_subplans(filter.when)) return false;
    return (is_single && !is_uuid(filter)) || !contain_subplans(filter.id);
}

// A uuid of another version has no time, for which comparisons of the bytes have no NULL: they only serve where NULL is
// as good as false.
Expr *simplify_uuid(const TimeFilter &filter, Standing standing) {
    if (standing == Standing::anywhere) return nullptr;
    List *all = comparisons(filter);
    if (standing == Standing::decides) all = lappend(all, filter.call("valid", list_make1(copied(filter.id))));
    return make_ands_explicit(all);
}

// What the filter means, and no less exactly.
Expr *simplify(const SupportRequestSimplify &request, StrategyNumber op) {
    const FuncExpr *call = request.fcall;
    const TimeFilter filter = read_time_filter(request.root, call->funcid, call->args, op);
    if (!can_stand_in(filter)) return nullptr;
    if (is_uuid(filter)) return simplify_uuid(filter, standing_of(filter, call));
    List *all = comparisons(filter);
    if (is_snowflake(filter)) depend_on_layout(request.root);
    return uses_sign_bit(filter) ? with_negative_ids(filter, all) : make_ands_explicit(all);
}

bool is_of_family(const List *comparisons, Oid family) {
    return get_op_opfamily_strategy(linitial_node(OpExpr, comparisons)->opno, family) != InvalidStrategy;
}

// For filters that stay what they are: an index finds the rows, and the filter is checked on each.
List *index_condition(SupportRequestIndexCondition &request, StrategyNumber op) {
    const List *args =
        IsA(request.node, OpExpr) ? castNode(OpExpr, request.node)->args : castNode(FuncExpr, request.node)->args;
    const TimeFilter filter = read_time_filter(request.root, request.funcid, args, op);
    if (filter.id != list_nth(args, request.indexarg)) return NIL;
    if (!is_pseudo_constant_for_index(request.root, filter.when, request.index)) return NIL;
    if (uses_sign_bit(filter) && !filter.is_below()) return NIL;
    List *all = comparisons(filter);
    request.lossy = true;
    return is_of_family(all, request.opfamily) ? all : NIL;
}

Datum support(FunctionCallInfo fcinfo, StrategyNumber op) {
    auto *request = reinterpret_cast<Node *>(PG_GETARG_POINTER(0));
    if (IsA(request, SupportRequestSimplify))
        PG_RETURN_POINTER(simplify(*reinterpret_cast<SupportRequestSimplify *>(request), op));
    if (IsA(request, SupportRequestIndexCondition))
        PG_RETURN_POINTER(index_condition(*reinterpret_cast<SupportRequestIndexCondition *>(request), op));
    return Datum{0};
}

StrategyNumber strategy_of(const char *operator_name) {
    if (std::strcmp(operator_name, "<") == 0) return BTLessStrategyNumber;
    if (std::strcmp(operator_name, "<=") == 0) return BTLessEqualStrategyNumber;
    if (std::strcmp(operator_name, ">=") == 0) return BTGreaterEqualStrategyNumber;
    if (std::strcmp(operator_name, ">") == 0) return BTGreaterStrategyNumber;
    return InvalidStrategy;
}

}  // namespace

SNOWID_FUNCTION(snowid_time_lt_support) { return support(fcinfo, BTLessStrategyNumber); }
SNOWID_FUNCTION(snowid_time_le_support) { return support(fcinfo, BTLessEqualStrategyNumber); }
SNOWID_FUNCTION(snowid_time_ge_support) { return support(fcinfo, BTGreaterEqualStrategyNumber); }
SNOWID_FUNCTION(snowid_time_gt_support) { return support(fcinfo, BTGreaterStrategyNumber); }
SNOWID_FUNCTION(snowid_time_in_support) { return support(fcinfo, InvalidStrategy); }

// Of a filter that stays what it is.
SNOWID_FUNCTION(snowid_time_selectivity) {
    auto *root = reinterpret_cast<PlannerInfo *>(PG_GETARG_POINTER(0));
    const Oid op = PG_GETARG_OID(1);
    const auto *args = reinterpret_cast<const List *>(PG_GETARG_POINTER(2));
    TimeFilter filter = read_time_filter(root, get_opcode(op), args, strategy_of(get_opname(op)));
    filter.when = estimate_expression_value(root, filter.when);
    if (!filter.is_constant()) PG_RETURN_FLOAT8(filter.is_range() ? DEFAULT_RANGE_INEQ_SEL : DEFAULT_INEQ_SEL);
    if (castNode(Const, filter.when)->constisnull) PG_RETURN_FLOAT8(0);
    PG_RETURN_FLOAT8(clauselist_selectivity(root, comparisons(filter), PG_GETARG_INT32(3), JOIN_INNER, nullptr));
}

// Of T_first() and T_last(), which have no error for an operator that they do not know: see read_side_argument().
SNOWID_FUNCTION(snowid_bound_support) {
    auto *request = reinterpret_cast<Node *>(PG_GETARG_POINTER(0));
    if (!IsA(request, SupportRequestSimplify)) return Datum{0};
    const List *args = reinterpret_cast<SupportRequestSimplify *>(request)->fcall->args;
    const auto *op = static_cast<const Const *>(lsecond(args));
    if (IsA(op, Const) && !op->constisnull) read_side(DatumGetTextPP(op->constvalue));
    return Datum{0};
}

// Of a check that is a part of a filter, whose other part has been estimated.
SNOWID_FUNCTION(snowid_certain_support) {
    auto *request = reinterpret_cast<Node *>(PG_GETARG_POINTER(0));
    if (!IsA(request, SupportRequestSelectivity)) return Datum{0};
    reinterpret_cast<SupportRequestSelectivity *>(request)->selectivity = 1;
    PG_RETURN_POINTER(request);
}
