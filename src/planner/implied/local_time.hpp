// The time of an id, or what date_trunc(), date_bin(), casts and AT TIME ZONE make of it: how far that may be from the
// time itself.
#pragma once

#include "planner/implied/source.hpp"

namespace snowid::planner {

struct LocalTime {
    Source source;
    Oid type;             // timestamptz, timestamp or date
    std::int64_t before;  // the time is not earlier than the value by more microseconds than this
    std::int64_t after;   // nor later by more than this; a value without a zone is taken as of UTC

    bool is_exact() const noexcept { return before == 0 && after == 0; }
};

// Whether the offsets of such a zone are no larger than those of real zones, which are less than 16 hours.
bool is_real_zone(std::string_view name);
inline constexpr std::int64_t kLargestOffset = 16LL * 3600 * 1'000'000;

// The kind of the source is none if the expression is of another form.
LocalTime read_local_time(Node *expression, Relids nulling);

}  // namespace snowid::planner
