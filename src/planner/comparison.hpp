// Comparisons that planner support functions substitute for other expressions.
#pragma once

#include "pg/prelude.hpp"

extern "C" {
#include "access/stratnum.h"
#include "nodes/primnodes.h"
}

namespace snowid::planner {

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

}  // namespace snowid::planner
