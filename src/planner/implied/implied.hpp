// What a condition on something that is computed from an id says about the id itself. It may say less than the
// condition, never more.
#pragma once

#include "planner/comparison.hpp"
#include "planner/implied/local_time.hpp"
#include "planner/implied/source.hpp"

namespace snowid::planner {

// `time op other`, with btree's number of the operator; 0 for `time <@ other`.
List *implied_by_time(PlannerInfo *root, const LocalTime &time, StrategyNumber op, Node *other);

// `text = other`, or `text = ANY (other)` if `other` is an array.
List *implied_by_text(PlannerInfo *root, const Source &text, Node *other);

// What a condition on an id can be of use for. Without any use it would only be checked on each row.
enum class Use : std::uint8_t { none, partitions, index };

Use use_of(PlannerInfo *root, const RelOptInfo *relation, AttrNumber column);

// Whether an index or statistics are on a side of the comparison itself.
bool is_covered(const RelOptInfo *relation, const Node *condition);

// Whether the condition is of a form that can imply others.
bool is_comparison(Node *condition);

// The conditions that this one implies for ids of that relation, or NIL.
List *implied_by(PlannerInfo *root, const RelOptInfo *relation, Node *condition);

// A condition from which others were implied. The rows that they keep must not be counted twice.
bool has_implied(Node *condition);

}  // namespace snowid::planner
