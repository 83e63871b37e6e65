// Comparisons that planner support functions put in the place of other expressions.
#pragma once

#include "pg/prelude.hpp"

extern "C" {
#include "access/stratnum.h"
#include "nodes/primnodes.h"
}

namespace snowid::planner {

// copyObject(), which is C's.
inline Node *copied(const void *node) { return static_cast<Node *>(copyObjectImpl(node)); }

// The same value as a type to which it is binary-compatible.
Node *as_type(Node *value, Oid type);

// `left op right` by the default btree class of the right side's type, to which the left side is binary-compatible.
Expr *make_comparison(Node *left, StrategyNumber op, Node *right);

}  // namespace snowid::planner
