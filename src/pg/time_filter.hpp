// Time filters as the planner meets them: `id op timestamptz` and `id <@ tstzrange`, which mean the time of the id, and
// the comparisons of the id with bounds that say the same, so that its indexes, partitions and statistics serve.
//
// The bounds are calls of the type's T_first() and T_last(), or constants where the time is one. Those functions never
// raise an error: where no id is of such a time their range is empty, the first greater than the last.
#pragma once

#include "pg/planner.hpp"

extern "C" {
#include "nodes/pathnodes.h"
}

namespace snowid::pg {

struct TimeFilter {
    PlannerInfo *root;
    Oid function;  // of the operator: T_time_<something>
    Node *id;
    Node *when;         // a timestamptz, or a tstzrange
    StrategyNumber op;  // of btree, with the id on the left: <, <=, >=, >; or else <@

    bool is_range() const { return op == InvalidStrategy; }
    bool is_below() const { return op == BTLessStrategyNumber || op == BTLessEqualStrategyNumber; }
    bool is_constant() const { return IsA(when, Const); }

    Expr *compare(StrategyNumber strategy, Node *bound) const { return make_comparison(id, strategy, bound); }
    Node *first() const { return bound("first", op); }
    Node *last() const { return bound("last", op); }
    // The end of the other side: of `id < t`, the first that it leaves out.
    Node *first_left_out() const { return bound("first", complement()); }
    Node *last_left_out() const { return bound("last", complement()); }
    // The AND of `id >= T_first(...)` and `id <= T_last(...)`, without those that hold for every id; and for a constant
    // as one would write it, `id < T_first(...)` of what is left out.
    List *range() const;

    const char *scheme() const;                      // the T of its functions
    Node *call(const char *name, List *args) const;  // of the type's function T_<name>

private:
    StrategyNumber complement() const;
    Expr *upper_bound() const;  // nullptr where there is none
    Node *bound(const char *which, StrategyNumber of_op) const;
};

// Whether rows that do not pass a filter are seen by anything else of its query level.
enum class Standing : std::uint8_t {
    anywhere,       // they may be
    decides,        // they are not: it stands in the AND of WHERE or of an inner join
    decides_again,  // nor by the filter itself, if they have no time: another of the same id stands before it
};

// Of a filter whose call is being simplified.
Standing standing_of(const TimeFilter &filter, const FuncExpr *call);

TimeFilter read_time_filter(PlannerInfo *root, Oid function, const List *args, StrategyNumber op);

}  // namespace snowid::pg
