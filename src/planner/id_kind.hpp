// What sets the time filters of one kind of id apart from those of the others. Each kind is a row, and its functions
// stand beside the row.
#pragma once

#include "pg/prelude.hpp"

extern "C" {
#include "nodes/primnodes.h"
}

namespace snowid::planner {

struct TimeFilter;

struct IdKind {
    // The T of T_first(), T_last() and T_time(); nullptr: the type's own name.
    const char *functions;
    // The one comparison that is enough for `id op t` if t is not known when planning; nullptr: it takes two.
    Expr *(*single_comparison)(const TimeFilter &filter);
    // What means the same as the filter, to stand in the place of its call; nullptr where the filter must stay.
    Expr *(*replacement)(const TimeFilter &filter, const FuncExpr *call);
    // Whether the filter's comparisons hold for every id of such a time.
    bool (*comparisons_find_all)(const TimeFilter &filter);
};

extern const IdKind kWideIds;       // wide_filter.cpp
extern const IdKind kUuids;         // uuid_filter.cpp
extern const IdKind kSnowflakeIds;  // snowflake_filter.cpp

const IdKind &kind_of(Oid id_type);

}  // namespace snowid::planner
