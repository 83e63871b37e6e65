// The start of an incarnation: a background worker learns from the floor how far ids have come, or from all databases
// where the floor does not cover them, and no id is made before. Backends wait in durable/await_start.hpp.
#pragma once

#include "core/timeline/floor.hpp"
#include "pg/prelude.hpp"
#include "server/durable/horizon_page.hpp"

extern "C" {
#include "nodes/pg_list.h"
}

namespace snowid::server {

void register_start_worker();

// Which clock and which server the ids of the last incarnation had. The floors say so. Before they do, at a cluster's
// first start and after pg_upgrade, the rows of the server's own generators name the server. Go by the highest of those
// that say who advanced them. It is mostly the one advanced last. A row does not count once a floor has said it.
void note_origin(const core::Floor &floor, Scheme scheme);
void note_origin(const HorizonRow &row);

// Reading the extension's tables of all databases. A process can connect to one database only, and the server's worker
// connects to none. So each database has a worker of its own for a moment, which tells the shared memory what it finds:
// how far the ids of the server and of named generators have come, and which of these have its next number. It waits
// for no lock for long, and ends nobody. No code of a database's owner runs.

// The oids of this cluster's databases, in TopMemoryContext. Leaves out one whose DROP DATABASE was interrupted: nobody
// can read it, and the floor covers its ids. REQUIRES: no transaction.
List *all_databases();

// Reads the databases that have not been read yet, those too that are made meanwhile, perhaps as a copy of one that is
// then dropped. Returns false if one cannot be read. REQUIRES: no transaction.
bool read_databases(List *&read, bool quietly);

}  // namespace snowid::server
