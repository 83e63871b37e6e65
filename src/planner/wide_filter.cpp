// Time filters of the extension's own types of fixed bytes. All their values are ids with a time, even those at the two
// ends. If no id passes the filter, `id >= T_first(...)` alone would still be true for the last id, so two comparisons
// are needed.
#include "planner/place.hpp"

extern "C" {
#include "nodes/makefuncs.h"
#include "optimizer/clauses.h"
}

namespace snowid::planner {
namespace {

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

}  // namespace

constinit const IdKind kWideIds{nullptr, nullptr, wide_replacement, always};

}  // namespace snowid::planner
