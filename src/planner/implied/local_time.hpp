// The time of an id, or what date_trunc(), date_bin(), casts and AT TIME ZONE make of it: how far that may be from the
// time itself.
#pragma once

#include "planner/implied/source.hpp"

extern "C" {
#include "pgtime.h"
}

namespace snowid::planner {

struct LocalTime {
    Source source;
    Oid type;             // timestamptz, timestamp or date
    std::int64_t before;  // the time is not earlier than the value by more microseconds than this
    std::int64_t after;   // nor later by more than this; a value without a zone is taken as of UTC

    bool is_exact() const noexcept { return before == 0 && after == 0; }
};

// Whether all offsets of the zone are surely those of a real zone, which are less than 16 hours. One that is spelled
// out can be of 167.
bool is_real_zone(pg_tz *zone);
inline constexpr std::int64_t kLargestOffset = 16LL * 3600 * 1'000'000;

// The kind of the source is none if the expression is of another form. Of a text, type and margins say nothing.
LocalTime read_local_time(Node *expression, Relids nulling);

}  // namespace snowid::planner
