// Generators whose callers ask for more ids than a tick has. That is counted, and told to who listens to the channel
// snowid_overflow: at most once a second by a worker of the server, for a notification needs a transaction that
// commits.
#pragma once

#include <atomic>
#include <cstdint>

#include "pg/prelude.hpp"

namespace snowid::server {

struct Slot;

struct Overflow {
    std::atomic<std::int64_t> since_ns;  // when it began, in elapsed time; 0: there is none
    std::atomic<std::int64_t> seen_ns;   // when somebody was last seen to wait for it
    std::atomic<Oid> database;           // of one that waits
    std::atomic<int> waiting;            // callers
    std::atomic<int> most_waiting;       // since it was told
};

// What a caller does before and after it waits. Who is interrupted ends with its transaction.
void begin_overflow(Slot &slot);
void end_overflow() noexcept;

// For the server's worker: tells what there is, and returns in how many ms it is to be called again; -1: when its latch
// is set.
long tell_overflows();

}  // namespace snowid::server
