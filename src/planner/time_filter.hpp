// A time filter as the planner meets it: `id op timestamptz` or `id <@ tstzrange`, which mean the time of the id.
// Comparisons of the id with bounds say the same, so that its indexes, partitions and statistics serve.
//
// A bound is a call of the type's T_first() or T_last(), or a constant where the time is one. These functions never
// raise an error: where no id is of such a time their range is empty, the first greater than the last.
#pragma once

#include <optional>

#include "planner/comparison.hpp"
#include "planner/id_kind.hpp"

extern "C" {
#include "nodes/pathnodes.h"
}

namespace snowid::planner {

struct TimeFilter {
    PlannerInfo *root;
    Oid function;  // of the operator
    const IdKind *kind;
    Node *id;
    Node *when;         // a timestamptz, or a tstzrange
    StrategyNumber op;  // of btree, with the id on the left: <, <=, >=, >; or else <@

    bool is_range() const { return op == InvalidStrategy; }
    bool is_below() const { return op == BTLessStrategyNumber || op == BTLessEqualStrategyNumber; }
    bool is_constant() const { return IsA(when, Const); }

    // Comparisons of the id, to hold together: they find ids of such a time. What else they find or leave out is for
    // the kind of id to mend.
    List *comparisons() const;

    Expr *compare(StrategyNumber strategy, Node *bound) const { return make_comparison(id, strategy, bound); }
    Node *first() const { return bound("first", op); }
    Node *last() const { return bound("last", op); }
    // The same bounds in one call, of `now()` and what is so much before or after it; nullptr of other times. A wide
    // id's is NULL where no id is meant.
    Node *first_by_now() const { return bound_by_now("first", op); }
    Node *last_by_now() const { return bound_by_now("last", op); }
    // The end of the other side: of `id < t`, the first that it leaves out.
    Node *first_left_out() const { return bound("first", complement()); }
    Node *last_left_out() const { return bound("last", complement()); }

    // A call of the type's function T_<name>.
    Node *call(const char *name, List *args) const;

private:
    // `id >= T_first(...)` and `id <= T_last(...)`, without what holds for every id. For a constant it is what one
    // would write: `id < T_first(...)` of what is left out.
    List *range() const;
    StrategyNumber complement() const;
    Expr *upper_bound() const;  // nullptr where there is none
    Node *bound(const char *which, StrategyNumber of_op) const;
    Node *bound_by_now(const char *which, StrategyNumber of_op) const;
    Oid function_named(const char *name, const List *args, bool may_be_missing) const;
    Node *call_of(Oid callee, List *args) const;
};

TimeFilter read_time_filter(PlannerInfo *root, Oid function, const List *args, StrategyNumber op);

// The `op` that the support function of a filter's function stands for; nothing for a function that is no time filter.
// Only a superuser can give a function a support function, so nobody else can make one pass for a filter.
std::optional<StrategyNumber> filter_op(Oid function);

}  // namespace snowid::planner
