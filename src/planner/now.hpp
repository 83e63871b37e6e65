// Times as `now() - interval '1 hour'`. A plan of many partitions works the bound of such a filter out for each of
// them, and each function in it costs as much as all the rest of the filter.
#pragma once

#include "pg/prelude.hpp"

extern "C" {
#include "nodes/primnodes.h"
}

namespace snowid::planner {

// The interval by which the time is later than now(); nullptr for other times.
Const *shift_of_now(Node *when);

}  // namespace snowid::planner
