// Waiting for the clock to reach the time of an id.
#pragma once

#include "server/shared/slot.hpp"

namespace snowid::server {

// Returns when the clock has reached the instant, or when as much time has passed as it was away. So nobody waits
// longer if the clock is set back meanwhile. A caller whose ids are ahead of the clock waits because of an overflow.
void await_clock(Slot &slot, core::UnixNanos due, bool is_ahead);

}  // namespace snowid::server
