// Waiting that can be cancelled, shows as a wait event, and does not get longer when the wall clock steps.
#pragma once

#include <cstdint>

#include "core/time.hpp"

namespace snowid::server {

// The longest sleep of a caller that waits for the wall clock, which may be set forward meanwhile.
inline constexpr std::int64_t kLongestSliceNs = 100 * core::kNanosPerMilli;

// Sleeps for at most `ns` and may return early. Handles interrupts.
void sleep_slice(std::int64_t ns);

}  // namespace snowid::server
