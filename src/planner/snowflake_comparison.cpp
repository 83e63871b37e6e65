// Turns comparisons of two snowflakes into int8's own, so that the planner finds int8's indexes, statistics and
// partitions.
#include "pg/function.hpp"
#include "pg/node.hpp"
#include "planner/comparison.hpp"

extern "C" {
#include "catalog/pg_type_d.h"
#include "nodes/supportnodes.h"
}

using namespace snowid::planner;

namespace {

Datum support_comparison(FunctionCallInfo fcinfo, StrategyNumber op) {
    auto *request = reinterpret_cast<Node *>(PG_GETARG_POINTER(0));
    if (!IsA(request, SupportRequestSimplify)) return Datum{0};
    const List *args = reinterpret_cast<SupportRequestSimplify *>(request)->fcall->args;
    Node *left = snowid::pg::nth(args, 0), *right = snowid::pg::nth(args, 1);
    PG_RETURN_POINTER(right == nullptr ? nullptr : make_comparison(left, op, as_type(right, INT8OID)));
}

}  // namespace

SNOWID_FUNCTION(snowid_snowflake_lt_support) { return support_comparison(fcinfo, BTLessStrategyNumber); }
SNOWID_FUNCTION(snowid_snowflake_le_support) { return support_comparison(fcinfo, BTLessEqualStrategyNumber); }
SNOWID_FUNCTION(snowid_snowflake_gt_support) { return support_comparison(fcinfo, BTGreaterStrategyNumber); }
SNOWID_FUNCTION(snowid_snowflake_ge_support) { return support_comparison(fcinfo, BTGreaterEqualStrategyNumber); }
