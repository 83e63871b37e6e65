// How the time filters of one kind of id differ from those of the others. Each kind is a row, and the row's functions
// are in the same file.
#pragma once

#include "pg/prelude.hpp"

extern "C" {
#include "nodes/primnodes.h"
}

namespace snowid::planner {

struct TimeFilter;

struct IdKind {
    // The T in T_first(), T_last() and T_time(), or nullptr for the type's own name.
    const char *functions;
    // The single comparison that is enough for `id op t` if the planner does not know t; nullptr if two are needed.
    Expr *(*single_comparison)(const TimeFilter &filter);
    // An expression that means the same as the filter and replaces its call, or nullptr if the filter must stay.
    Expr *(*replacement)(const TimeFilter &filter, const FuncExpr *call);
    // Whether the filter's comparisons hold for every id with such a time.
    bool (*comparisons_find_all)(const TimeFilter &filter);
};

inline bool always(const TimeFilter & /*filter*/) { return true; }

extern const IdKind kWideIds;       // wide_filter.cpp
extern const IdKind kUuids;         // uuid_filter.cpp
extern const IdKind kSnowflakeIds;  // snowflake_filter.cpp

const IdKind &kind_of(Oid id_type);

}  // namespace snowid::planner
