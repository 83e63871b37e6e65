// Times such as `now() - interval '1 hour'`. A plan over many partitions computes the bound of such a filter for each
// partition, and each function in the bound costs as much as the rest of the filter.
#pragma once

#include <optional>

#include "pg/prelude.hpp"

extern "C" {
#include "access/stratnum.h"
#include "nodes/primnodes.h"
}

namespace snowid::planner {

// The interval between now() and the time, or nullptr for other times.
Const *shift_of_now(Node *when);

// The ends of a tstzrange, as comparisons of a time with them. An end that is missing is nullptr.
struct RangeByNow {
    Node *from, *to;
    StrategyNumber from_op, to_op;
};

// The ends of `tstzrange(now() - interval '2 hours', now())` and the like; none of other ranges. Nor if they might not
// be in order, for then the range is an error.
std::optional<RangeByNow> range_by_now(Node *when);

}  // namespace snowid::planner
