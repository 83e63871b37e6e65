// Time filters of uuid. A uuid of another version than 7 has no time, and a filter of it is NULL, which comparisons of
// the bytes are not: they serve only where NULL is as good as false, and with a check of the version.
#include "planner/place.hpp"

extern "C" {
#include "nodes/makefuncs.h"
#include "optimizer/clauses.h"
}

namespace snowid::planner {
namespace {

// No uuid of version 7 is at the ends that stand for an empty range, so one comparison is enough.
Expr *single_comparison(const TimeFilter &filter) {
    if (filter.is_below()) return filter.compare(BTLessEqualStrategyNumber, filter.last());
    return filter.compare(BTGreaterEqualStrategyNumber, filter.first());
}

// The check of the version holds the id once more; the comparisons of a range hold both sides twice. A subplan would
// run twice.
Expr *replacement(const TimeFilter &filter, const FuncExpr *call) {
    if (contain_subplans(filter.id) || (filter.is_range() && contain_subplans(filter.when))) return nullptr;
    const Place place = place_of(filter, call);
    if (place == Place::elsewhere) return nullptr;
    List *all = filter.comparisons();
    if (place == Place::condition) all = lappend(all, filter.call("valid", list_make1(copied(filter.id))));
    return make_ands_explicit(all);
}

bool comparisons_find_all(const TimeFilter & /*filter*/) { return true; }

}  // namespace

constinit const IdKind kUuids{"uuidv7", single_comparison, replacement, comparisons_find_all};

}  // namespace snowid::planner
