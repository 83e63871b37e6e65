// What a condition on an id may be hidden in: a call that computes something from a column with ids, such as
// snowflake_time(id). The functions are known by their support functions, which only a superuser can give to another
// function.
#pragma once

#include "pg/compat.hpp"

namespace snowid::planner {

enum class SourceKind : std::uint8_t { none, time, seal, typeid_text, number, text };

struct Source {
    SourceKind kind;
    Oid function;  // the function, or for ::text the output function of the id's type
    List *args;    // what the function is called with, the id first; NIL for ::text
    Index relation;
    AttrNumber column;
    Node *id;  // the column as the condition sees it, of the type that the function takes
};

// The expression without what changes nothing but its type or where it is computed. The outer joins that can make it
// NULL on its way are added to `nulling`.
Node *bare(Node *expression, Relids &nulling);

// `nulling` is of what is around the expression. The kind is none if there is no source.
Source read_source(Node *expression, Relids nulling);

// A constant text argument; nothing if it is not constant.
std::optional<std::string_view> constant_text(const Node *argument);

// Whether the user may execute the function, so that no query fails which would run without us. The plan is made again
// for another user, and when the rights change.
bool may_call(PlannerInfo *root, Oid function);

// A call of an internal function, simplified; nullptr if the extension's SQL does not have it, or the user may not
// execute it.
Node *internal_call(PlannerInfo *root, const char *name, List *args);

}  // namespace snowid::planner
