// The databases of this cluster.
#pragma once

#include "pg/prelude.hpp"

extern "C" {
#include "nodes/pg_list.h"
}

namespace snowid::server {

// Their oids, in TopMemoryContext. Leaves out one whose DROP DATABASE was interrupted: nobody can read it,
// and the floor covers its ids. REQUIRES: no transaction.
List *all_databases();

}  // namespace snowid::server
