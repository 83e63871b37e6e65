// Generators whose callers ask for more ids than a tick has. The server counts that, and tells sessions that listen to
// the channel snowid_overflow: at most once a second, and by a worker, for a notification needs a transaction that
// commits.
#pragma once

#include "server/memory/slot.hpp"

namespace snowid::server {

// A caller calls these before and after it waits. If it is interrupted, the end of its transaction ends the overflow.
void begin_overflow(Slot &slot);
void end_overflow() noexcept;

// For the server's worker: notifies of each overflow. Returns in how many ms it wants to be called again, or -1 if not
// before the worker's latch is set.
long notify_overflows();

}  // namespace snowid::server
