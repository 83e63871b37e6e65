// What a condition on an id can be of use for. Without any use it would only be checked on each row.
#pragma once

#include "pg/compat.hpp"

namespace snowid::planner {

enum class Use : std::uint8_t { none, partitions, index };

Use use_of(PlannerInfo *root, const RelOptInfo *relation, AttrNumber column);

// Whether an index or statistics are on a side of the comparison itself.
bool is_covered(const RelOptInfo *relation, const Node *condition);

}  // namespace snowid::planner
