// The server's watch over its wall clock: steps back are counted and logged, leaps forward are not believed.
#pragma once

#include "core/clock/watch.hpp"

namespace snowid::server {

// Looks at the clock for a step since somebody last looked.
core::ClockReport watch_clock();

// The same before the horizon is raised by the clock: one that has not leapt is believed.
core::ClockReport believe_clock();

const char *shown_duration(std::int64_t ns);  // palloc'ed

}  // namespace snowid::server
