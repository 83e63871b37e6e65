// Where a time filter is in its query. Some filters are NULL for some ids. The filter's place decides whether anything
// sees a row that does not pass, and so could distinguish NULL from false.
#pragma once

#include "planner/time_filter.hpp"

namespace snowid::planner {

enum class Place : std::uint8_t {
    elsewhere,        // under NOT, in a target list, in the condition of an outer join: something may see the NULL
    condition,        // in the AND of WHERE or of an inner join, and nothing else sees a row that does not pass
    later_condition,  // the same, after another time filter of the same id: no id without a time gets this far
};

// For a filter whose call is being simplified.
Place place_of(const TimeFilter &filter, const FuncExpr *call);

}  // namespace snowid::planner
