// The server's watch over its wall clock. Steps back are counted and logged. Leaps forward are not believed.
#pragma once

#include "core/clock/watch.hpp"

namespace snowid::server {

// Looks for a step of the clock since the last look.
core::ClockReport watch_clock();

// The same before the horizon is advanced to the clock's time. If the clock has not leapt, it is believed.
core::ClockReport believe_clock();

core::UnixNanos latest_time();  // the latest time that the clock lets anyone use

// The time by the clock as it was believed last. It passes like elapsed time, and nobody can set it.
core::UnixNanos believed_time();

[[noreturn]] void raise_leap(std::int64_t by_ns);

// DETAIL and HINT of an error that says that ids are ahead of the clock. If a superuser has put ids off to a time that
// the clock has not reached, they say so. That is not known after a restart. Otherwise the detail is the caller's.
struct BehindWhy {
    const char *detail;
    const char *hint;
};
BehindWhy why_behind(std::int64_t ahead_ns, const char *detail);

}  // namespace snowid::server
