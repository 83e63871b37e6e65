// What a condition on something that is computed from an id says about the id itself. It may say less than the
// condition, never more.
#pragma once

#include "pg/compat.hpp"
#include "planner/time_filter.hpp"

namespace snowid::planner {

// What a condition on an id may be hidden in: a call that computes something from a column with ids, such as
// snowflake_time(id). The functions are known by their support functions, which only a superuser can give to another
// function.
enum class SourceKind : std::uint8_t { none, time, seal, typeid_text, number, text };

struct Source {
    SourceKind kind;
    Oid function;  // the function, or for ::text the output function of the id's type
    List *args;    // what the function is called with, the id first; NIL for ::text
    Index relation;
    AttrNumber column;
    Node *id;  // the column as the condition sees it, of the type that the function takes
};

// The expression without what changes nothing but its type or where it is computed. The outer joins that can make it
// NULL on its way are added to `nulling`.
Node *bare(Node *expression, Relids &nulling);

// `nulling` is of what is around the expression. The kind is none if there is no source.
Source read_source(Node *expression, Relids nulling);

// A constant text argument; nothing if it is not constant.
std::optional<std::string_view> constant_text(const Node *argument);

// Whether the user may execute the function, so that no query fails which would run without us. The plan is made again
// for another user, and when the rights change.
bool may_call(PlannerInfo *root, Oid function);

// A call of an internal function, simplified; nullptr if the extension's SQL does not have it, or the user may not
// execute it.
Node *internal_call(PlannerInfo *root, const char *name, List *args);

// The time of an id, or what date_trunc(), date_bin(), casts and AT TIME ZONE make of it: how far that may be from the
// time itself.
struct LocalTime {
    Source source;
    Oid type;             // timestamptz, timestamp or date
    std::int64_t before;  // the time is not earlier than the value by more microseconds than this
    std::int64_t after;   // nor later by more than this; a value without a zone is taken as of UTC

    bool is_exact() const noexcept { return before == 0 && after == 0; }
};

// The offset of a real zone is less than this.
inline constexpr std::int64_t kLargestOffset = 16LL * 3600 * 1'000'000;

// The kind of the source is none if the expression is of another form. Of a text, type and margins say nothing.
LocalTime read_local_time(Node *expression, Relids nulling);

// `time op other`, with btree's number of the operator; 0 for `time <@ other`.
List *implied_by_time(PlannerInfo *root, const LocalTime &time, StrategyNumber op, Node *other);

// `text = other`, or `text = ANY (other)` if `other` is an array.
List *implied_by_text(PlannerInfo *root, const Source &text, Node *other);

// Whether an index or statistics are on a side of the comparison itself.
bool is_covered(const RelOptInfo *relation, const Node *condition);

// Whether the condition is of a form that can imply others.
bool is_comparison(Node *condition);

// The conditions that this one implies for ids of that relation, or NIL.
List *implied_by(PlannerInfo *root, const RelOptInfo *relation, Node *condition);

// A condition from which others were implied. The rows that they keep must not be counted twice.
bool has_implied(Node *condition);

// Where the planner is told what conditions imply. It calls the hook for each relation after it has pulled up
// subqueries and simplified expressions, and before it hands the conditions out to relations and joins.
void install_implied_hooks();

}  // namespace snowid::planner
