// Waiting for the clock to reach the time of an id, and generators whose callers ask for more ids than a tick has. The
// server counts such overflows, and notifies sessions that listen on the channel snowid_overflow, at most once a
// second. A worker sends the notifications of a database, because that needs a transaction that commits. There is one
// at a time, because all databases share max_worker_processes.
#pragma once

#include "server/shared/slot.hpp"

namespace snowid::server {

// Returns when the clock has reached the instant, or when as much time has passed as it was away. So nobody waits
// longer if the clock is set back meanwhile. A caller whose ids are ahead of the clock waits because of an overflow.
void await_clock(Slot &slot, core::UnixNanos due, bool is_ahead);

// For the server's worker: sees to it that each overflow is notified. Returns the milliseconds until the next call, or
// -1 if none is needed before the worker's latch is set.
long notify_overflows();

extern constinit Slot *waiting_for;  // the slot whose ids this backend is waiting for

// If a caller that waits is interrupted, the end of its transaction ends the overflow.
inline void end_overflow() noexcept {
    if (waiting_for == nullptr) return;
    waiting_for->overflow.waiting.fetch_sub(1);
    waiting_for = nullptr;
}

}  // namespace snowid::server
