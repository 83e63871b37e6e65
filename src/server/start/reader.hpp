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

// The oids of this cluster's databases, in TopMemoryContext. Leaves out one whose DROP DATABASE was interrupted: nobody
// can read it, and the floor covers its ids. REQUIRES: no transaction.
List *all_databases();

// Reads the databases that have not been read yet, those too that are made meanwhile, perhaps as a copy of one that is
// then dropped. Returns false if one cannot be read. REQUIRES: no transaction.
bool read_databases(List *&read, bool quietly);

}  // namespace snowid::server
