// The server's watch over its wall clock: steps back are counted and logged, leaps forward are not believed.
#pragma once

#include "core/clock/watch.hpp"

namespace snowid::server {

// Looks for a step of the clock since the last look.
core::ClockReport watch_clock();

// The same before the horizon is raised by the clock. A clock that has not leapt is believed.
core::ClockReport believe_clock();

}  // namespace snowid::server
