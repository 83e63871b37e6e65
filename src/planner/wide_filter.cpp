// Time filters of the extension's own types of fixed bytes. All their values are ids with a time, those at the two ends
// too. Where no id is meant `id >= T_first(...)` alone would still hold for the last one, so it takes two comparisons.
#include "planner/time_filter.hpp"

extern "C" {
#include "nodes/makefuncs.h"
#include "optimizer/clauses.h"
}

namespace snowid::planner {
namespace {

// The two hold the id and the time twice, and a subplan would run twice.
Expr *replacement(const TimeFilter &filter, const FuncExpr * /*call*/) {
    if (contain_subplans(filter.id) || contain_subplans(filter.when)) return nullptr;
    return make_ands_explicit(filter.comparisons());
}

bool comparisons_find_all(const TimeFilter & /*filter*/) { return true; }

}  // namespace

constinit const IdKind kWideIds{nullptr, nullptr, replacement, comparisons_find_all};

}  // namespace snowid::planner
