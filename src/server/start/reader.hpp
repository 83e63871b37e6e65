// Reading the extension's tables of all databases. A process can connect to one database only, and the server's worker
// connects to none. So each database has a worker of its own for a moment, which tells the shared memory what it finds:
// how far the ids of the server and of named generators have come, and which of these have its next number. It waits
// for no lock for long, and ends nobody. No code of a database's owner runs.
#pragma once

#include "pg/prelude.hpp"

extern "C" {
#include "nodes/pg_list.h"
}

namespace snowid::server {

// Reads the databases that are left, and keeps those that cannot be read in the list. REQUIRES: no transaction.
void read_databases(List *&left, bool quietly);

// No setting of the server or of a database ends a worker that is in the middle of its work.
void settle_timeouts();

}  // namespace snowid::server
