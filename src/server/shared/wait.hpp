// Waiting that can be cancelled, that shows as a wait event, and that does not last longer if the wall clock steps.
#pragma once

#include <cstdint>

namespace snowid::server {

enum class Waiting : std::uint8_t { for_clock, for_directory };

// Sleeps for at most `ns` and may return early. Handles interrupts.
void sleep_slice(std::int64_t ns, Waiting waiting = Waiting::for_clock);

}  // namespace snowid::server
