// Expressions that planner support functions put in the place of others.
#pragma once

#include "pg/prelude.hpp"

extern "C" {
#include "access/stratnum.h"
#include "nodes/pathnodes.h"
}

namespace snowid::pg {

// copyObject(), which is C's.
inline Node *copied(const void *node) { return static_cast<Node *>(copyObjectImpl(node)); }

// `left op right` by the default btree class of the right side's type, to which the left side is binary-compatible.
Expr *make_comparison(Node *left, StrategyNumber strategy, Node *right);

// Whether rows of this query level that do not pass this call are seen by nothing: it stands as an operator in the AND
// of WHERE or of an inner join, and the planner has not yet begun with anything but this level's own expressions.
bool decides_rows(PlannerInfo *root, const FuncExpr *call);

}  // namespace snowid::pg
