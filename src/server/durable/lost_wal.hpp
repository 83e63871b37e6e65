// WAL that is lost without a promotion: somebody has removed recovery.signal or standby.signal, or has started a base
// backup without one. The server goes on where its WAL ends, on the same timeline, and ids that were made after that
// are lost. Only the postmaster can see this, before recovery. A file remembers it until the floors have it, because
// the first start may be in single-user mode, or have no room for workers.
#pragma once

#include <cstdint>

namespace snowid::server {

void look_for_lost_wal();  // REQUIRES: the postmaster, before recovery

// When the control file was last written before such a start, in seconds since 1970; or 0. Crashes do not change it.
std::int64_t wal_lost_before_start();

// pg_upgrade brings rows that no floor knows. It loads the library with IsBinaryUpgrade set, in the new cluster and
// perhaps in the old one; only the new one runs without fsync then. A file remembers that until a start has read the
// rows.
void note_upgrade();
bool is_unread();     // by a start since then
bool was_upgraded();  // and this is the new cluster
void forget_upgrade();

void forget_lost_wal();  // REQUIRES: it is in the floors, or a recovery begins, which ends with a new timeline

}  // namespace snowid::server
