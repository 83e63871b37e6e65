// What PostgreSQL asks about time filters during planning: whether comparisons can replace one, what an index can find,
// and how many rows pass.
#include "pg/type/time_bounds.hpp"
#include "planner/time_filter.hpp"

extern "C" {
#include "catalog/pg_type_d.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
}

using namespace snowid::planner;
namespace pg = snowid::pg;

namespace {

// The replacement of a filter may contain either side twice. A volatile side would then have two values.
Expr *simplify(const SupportRequestSimplify &request, StrategyNumber op) {
    const FuncExpr *call = request.fcall;
    const std::optional<TimeFilter> filter = read_time_filter(request.root, call->funcid, call->args, op);
    if (!filter || contain_volatile_functions(filter->id) || contain_volatile_functions(filter->when)) return nullptr;
    return filter->kind->replacement(*filter, call);
}

bool is_of_family(const List *comparisons, Oid family) {
    const auto *first = pg::as<OpExpr>(pg::nth(comparisons, 0));
    return first != nullptr && get_op_opfamily_strategy(first->opno, family) != InvalidStrategy;
}

// For filters that are not replaced: an index finds the rows, and the filter checks each of them.
List *index_condition(SupportRequestIndexCondition &request, StrategyNumber op) {
    const auto *operation = pg::as<OpExpr>(request.node);
    const auto *call = pg::as<FuncExpr>(request.node);
    const List *args = operation != nullptr ? operation->args : call != nullptr ? call->args : NIL;
    const std::optional<TimeFilter> filter = read_time_filter(request.root, request.funcid, args, op);
    if (!filter || filter->id != pg::nth(args, request.indexarg)) return NIL;
    if (!is_pseudo_constant_for_index(request.root, filter->when, request.index)) return NIL;
    if (!filter->kind->comparisons_find_all(*filter)) return NIL;
    List *all = filter->comparisons();
    request.lossy = true;
    return is_of_family(all, request.opfamily) ? all : NIL;
}

Datum support_filter(FunctionCallInfo fcinfo, StrategyNumber op) {
    auto *request = reinterpret_cast<Node *>(PG_GETARG_POINTER(0));
    if (IsA(request, SupportRequestSimplify))
        PG_RETURN_POINTER(simplify(*reinterpret_cast<SupportRequestSimplify *>(request), op));
    if (IsA(request, SupportRequestIndexCondition))
        PG_RETURN_POINTER(index_condition(*reinterpret_cast<SupportRequestIndexCondition *>(request), op));
    return Datum{0};
}

}  // namespace

SNOWID_FUNCTION(snowid_time_lt_support) { return support_filter(fcinfo, BTLessStrategyNumber); }
SNOWID_FUNCTION(snowid_time_le_support) { return support_filter(fcinfo, BTLessEqualStrategyNumber); }
SNOWID_FUNCTION(snowid_time_ge_support) { return support_filter(fcinfo, BTGreaterEqualStrategyNumber); }
SNOWID_FUNCTION(snowid_time_gt_support) { return support_filter(fcinfo, BTGreaterStrategyNumber); }
SNOWID_FUNCTION(snowid_time_in_support) { return support_filter(fcinfo, InvalidStrategy); }

std::optional<StrategyNumber> snowid::planner::filter_op(Oid function) {
    constexpr struct {
        PGFunction support;
        StrategyNumber op;
    } kFilters[] = {{snowid_time_lt_support, BTLessStrategyNumber},
                    {snowid_time_le_support, BTLessEqualStrategyNumber},
                    {snowid_time_ge_support, BTGreaterEqualStrategyNumber},
                    {snowid_time_gt_support, BTGreaterStrategyNumber},
                    {snowid_time_in_support, InvalidStrategy}};
    const PGFunction support = support_of(function);
    for (const auto &filter : kFilters)
        if (support == filter.support) return filter.op;
    return std::nullopt;
}

// The estimate for a filter that is not replaced.
SNOWID_FUNCTION(snowid_time_selectivity) {
    auto *root = reinterpret_cast<PlannerInfo *>(PG_GETARG_POINTER(0));
    const Oid function = get_opcode(PG_GETARG_OID(1));
    const std::optional<StrategyNumber> op = filter_op(function);
    if (!op) PG_RETURN_FLOAT8(DEFAULT_INEQ_SEL);
    std::optional<TimeFilter> filter =
        read_time_filter(root, function, reinterpret_cast<const List *>(PG_GETARG_POINTER(2)), *op);
    if (!filter) PG_RETURN_FLOAT8(DEFAULT_INEQ_SEL);
    filter->when = estimate_expression_value(root, filter->when);
    if (!filter->is_constant()) PG_RETURN_FLOAT8(filter->is_range() ? DEFAULT_RANGE_INEQ_SEL : DEFAULT_INEQ_SEL);
    if (pg::known(filter->when) == nullptr) PG_RETURN_FLOAT8(0);
    PG_RETURN_FLOAT8(clauselist_selectivity(root, filter->comparisons(), PG_GETARG_INT32(3), JOIN_INNER, nullptr));
}

// For T_first() and T_last(), which do not raise an error for an unknown operator from a row; see read_side_argument().
SNOWID_FUNCTION(snowid_bound_support) {
    auto *request = reinterpret_cast<Node *>(PG_GETARG_POINTER(0));
    if (!IsA(request, SupportRequestSimplify)) return Datum{0};
    const List *args = reinterpret_cast<SupportRequestSimplify *>(request)->fcall->args;
    const Const *op = pg::known(pg::nth(args, 1));
    if (op != nullptr && op->consttype == TEXTOID) pg::read_side(DatumGetTextPP(op->constvalue));
    return Datum{0};
}

// The estimate for a check that is part of a filter. The other part has already been estimated.
SNOWID_FUNCTION(snowid_certain_support) {
    auto *request = reinterpret_cast<Node *>(PG_GETARG_POINTER(0));
    if (!IsA(request, SupportRequestSelectivity)) return Datum{0};
    reinterpret_cast<SupportRequestSelectivity *>(request)->selectivity = 1;
    PG_RETURN_POINTER(request);
}
