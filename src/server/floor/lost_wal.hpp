// A server that ends a recovery without a promotion: somebody took its recovery.signal or standby.signal away, or a
// base backup was started without one. It goes on where its WAL ends, on the same timeline, and what others had after
// that is lost. Only the postmaster can see it, before it begins. A file keeps it until it is in the floors: the first
// start may be in single-user mode, or have no room for workers.
#pragma once

#include <cstdint>

namespace snowid::server {

void look_for_lost_wal();  // REQUIRES: the postmaster, before recovery

// When the control file was last written before such a start, in seconds since 1970; or 0. Crashes do not change it.
std::int64_t wal_lost_before_start();

void forget_lost_wal();  // REQUIRES: it is in the floors, or a recovery begins, which ends with a new timeline

}  // namespace snowid::server
