// A time filter as the planner sees it: `id op timestamptz` or `id <@ tstzrange`, where `id` stands for its time.
// Comparisons of the id with bounds mean the same, and can use indexes, partitions and statistics of the id.
//
// A bound is a call of the type's T_first() or T_last(), or a constant if the time is a constant. These functions never
// raise an error. If no id has such a time, the range is empty: its first id is greater than its last.
#pragma once

#include "pg/node.hpp"
#include "pg/prelude.hpp"

extern "C" {
#include "access/stratnum.h"
#include "nodes/pathnodes.h"
#include "nodes/primnodes.h"
}

namespace snowid::planner {

// Comparisons that planner support functions substitute for other expressions.

// copyObject(), which is a macro for C.
inline Node *copied(const void *node) { return static_cast<Node *>(copyObjectImpl(node)); }

// The same value as another type to which it is binary-compatible.
Node *as_type(Node *value, Oid type);

// `left op right`, with the default btree class of the right side's type. The left side must be binary-compatible with
// it.
Expr *make_comparison(Node *left, StrategyNumber op, Node *right);

// Constants: the name of <, <=, >= or >, and a number.
Node *name_of(StrategyNumber op);
Node *bigint_of(std::int64_t value);

// The support function of a function, or nullptr. Only a superuser can give a function one.
PGFunction support_of(Oid function);

// The plan is made again when the table changes. Without a query there is no plan.
void depend_on(PlannerInfo *root, Oid table);

struct TimeFilter;

// How the time filters of one kind of id differ from those of the others. Each kind is a row in id_kinds.cpp.
struct IdKind {
    // The T in T_first(), T_last() and T_time(), or nullptr for the type's own name.
    const char *functions;
    // The single comparison that is enough for `id op t` if the planner does not know t; nullptr if two are needed.
    Expr *(*single_comparison)(const TimeFilter &filter);
    // An expression that means the same as the filter and replaces its call, or nullptr if the filter must stay.
    Expr *(*replacement)(const TimeFilter &filter, const FuncExpr *call);
    // Whether the filter's comparisons hold for every id with such a time.
    bool (*comparisons_find_all)(const TimeFilter &filter);
};

inline bool always(const TimeFilter & /*filter*/) { return true; }

extern const IdKind kSnowflakeIds;
const IdKind &kind_of(Oid id_type);

struct TimeFilter {
    PlannerInfo *root;
    Oid function;  // of the operator
    const IdKind *kind;
    Node *id;
    Node *when;         // a timestamptz, or a tstzrange
    StrategyNumber op;  // of btree, with the id on the left: <, <=, >= or >; 0 for <@

    bool is_range() const { return op == InvalidStrategy; }
    bool is_below() const { return op == BTLessStrategyNumber || op == BTLessEqualStrategyNumber; }
    bool is_constant() const { return pg::as<Const>(when) != nullptr; }

    // Comparisons that together find ids with such a time. They may find other ids too, or miss some. The kind of id
    // must make up for that.
    List *comparisons() const;

    Expr *compare(StrategyNumber strategy, Node *bound) const { return make_comparison(id, strategy, bound); }
    Node *first() const { return bound("first", op); }
    Node *last() const { return bound("last", op); }
    // The same bounds in one call, if the time is `now()` plus or minus an interval; nullptr for other times. For a
    // wide id the call returns NULL if no id passes the filter.
    Node *first_by_now() const { return bound_by_now("first", op); }
    Node *last_by_now() const { return bound_by_now("last", op); }
    // The end of the other side: for `id < t`, the first id that does not pass.
    Node *first_left_out() const { return bound("first", complement()); }
    Node *last_left_out() const { return bound("last", complement()); }

    // A call of the type's function T_<name>.
    Node *call(const char *name, List *args) const;
    // The function that first() or last() calls.
    Oid bound_function(const char *which) const;

private:
    // `id >= T_first(...)` and `id <= T_last(...)`, without a comparison that holds for every id. For a constant, the
    // upper bound is what people would write: `id < T_first(...)` with the first id that does not pass.
    List *range() const;
    List *ends_by_now() const;  // a filter for each end of a range between times such as now(); NIL for others
    StrategyNumber complement() const;
    Expr *upper_bound() const;  // nullptr if there is none
    Node *bound(const char *which, StrategyNumber of_op) const;
    Node *bound_by_now(const char *which, StrategyNumber of_op) const;
    Node *call_of(Oid callee, List *args) const;
};

// Nothing if the call does not have both sides.
std::optional<TimeFilter> read_time_filter(PlannerInfo *root, Oid function, const List *args, StrategyNumber op);

const char *type_name(Oid type);

// The same as server::function_of(), for these arguments.
Oid function_of(Oid schema, const char *name, const List *args);

// The `op` that the support function of a filter's function stands for, or nothing if the function is not a time
// filter. Only a superuser can give a function a support function, so nobody else can make a function look like a
// filter.
std::optional<StrategyNumber> filter_op(Oid function);

}  // namespace snowid::planner
