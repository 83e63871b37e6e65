// How expressions are taken apart. What a query holds is anybody's: an operator may have one argument, and a superuser
// can give our support functions to any function. So nothing else of the planner casts nodes or takes them from a
// list by their place.
#pragma once

#include "pg/prelude.hpp"

extern "C" {
#include "nodes/pathnodes.h"
#include "nodes/primnodes.h"
}

namespace snowid::pg {

template <typename T>
inline constexpr NodeTag kTagOf = T_Invalid;
#define SNOWID_NODE(type) \
    template <>           \
    inline constexpr NodeTag kTagOf<type> = T_##type
SNOWID_NODE(BoolExpr);
SNOWID_NODE(CoerceViaIO);
SNOWID_NODE(Const);
SNOWID_NODE(FromExpr);
SNOWID_NODE(FuncExpr);
SNOWID_NODE(JoinExpr);
SNOWID_NODE(List);
SNOWID_NODE(OpExpr);
SNOWID_NODE(PlaceHolderVar);
SNOWID_NODE(RelabelType);
SNOWID_NODE(RestrictInfo);
SNOWID_NODE(ScalarArrayOpExpr);
SNOWID_NODE(SQLValueFunction);
SNOWID_NODE(Var);
#undef SNOWID_NODE

// The node as one of this type; nullptr if it is of another, or nullptr itself.
template <typename T>
T *as(void *node) {
    static_assert(kTagOf<T> != T_Invalid);
    return node != nullptr && nodeTag(node) == kTagOf<T> ? static_cast<T *>(node) : nullptr;
}
template <typename T>
const T *as(const void *node) {
    static_assert(kTagOf<T> != T_Invalid);
    return node != nullptr && nodeTag(node) == kTagOf<T> ? static_cast<const T *>(node) : nullptr;
}

// The node in this place of a list, from 0; nullptr if there are fewer.
inline Node *nth(const List *nodes, int place) {
    return place < list_length(nodes) ? static_cast<Node *>(list_nth(nodes, place)) : nullptr;
}

// A constant that is not NULL, or nullptr.
inline const Const *known(const Node *argument) {
    const auto *constant = as<Const>(argument);
    return constant != nullptr && !constant->constisnull ? constant : nullptr;
}

}  // namespace snowid::pg
