// Times and durations as messages show them; palloc'ed.
#pragma once

#include "core/time.hpp"

namespace snowid::pg {

const char *shown_time(core::UnixNanos t);
const char *shown_duration(std::int64_t ns);

}  // namespace snowid::pg
