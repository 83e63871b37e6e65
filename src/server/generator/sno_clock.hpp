// The clock as snos need it: they wait for one that is behind, as long as callers may have to.
#pragma once

#include "server/shared/slot.hpp"

namespace snowid::server {

// Returns when the clock has reached the instant, although it may stand still or step back again in the meantime.
// Raises an error if it is too far behind.
void await_sno_clock(Slot &slot, core::UnixNanos due);

[[noreturn]] void raise_out_of_time(Slot &slot);  // no sno has the clock's time

}  // namespace snowid::server
