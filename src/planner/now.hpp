// Times such as `now() - interval '1 hour'`. A plan over many partitions computes the bound of such a filter for each
// partition, and each function in the bound costs as much as the rest of the filter.
#pragma once

#include "pg/prelude.hpp"

extern "C" {
#include "nodes/primnodes.h"
}

namespace snowid::planner {

// The interval between now() and the time, or nullptr for other times.
Const *shift_of_now(Node *when);

}  // namespace snowid::planner
