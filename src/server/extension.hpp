// The extension's own tables: those of its members that are in its schema, which the search path does not find. Who
// owns the extension can add tables to it, of the same names in other schemas.
#pragma once

#include <cstdint>

#include "pg/prelude.hpp"

extern "C" {
#include "storage/lockdefs.h"
#include "utils/relcache.h"
}

namespace snowid::server {

struct ExtensionTables {
    Oid layout;
    Oid horizon;
    Oid generator;
};

// An error where the extension is not in this database.
const ExtensionTables &extension_tables();

// One of them, opened. Who waits for the lock may find another table in the place of the one that was dropped
// meanwhile.
Relation open_extension_table(Oid ExtensionTables::*table, LOCKMODE lock);

// The same for one of them by its name, but InvalidOid where the extension is not there.
Oid extension_table_if_any(const char *name);

// Grows whenever one of the tables may have changed, be it by a rollback.
std::uint64_t extension_changes();

}  // namespace snowid::server
