// Waiting that can be cancelled and seen, and that no step of the wall clock makes longer.
#pragma once

#include <cstdint>

namespace snowid::server {

// Sleeps for at most `ns`, and may return early; handles interrupts.
void sleep_slice(std::int64_t ns);

}  // namespace snowid::server
