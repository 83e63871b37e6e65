// The extension's tables in another database. Finds them in its catalogues, and locks them.
#pragma once

#include "server/start/patient_lock.hpp"
#include "server/start/stored_table.hpp"

namespace snowid::server {

struct FoundTables {
    StoredTable horizon, generator, layout;
};

// Returns false if the database or the extension is not there. Raises an error if one of the tables is missing, or if
// it is not as the extension made it. The tables, the catalogues and the database stay locked until the end of the
// transaction.
bool find_tables(Oid database, const LockPatience &patience, FoundTables &found);

}  // namespace snowid::server
