// The extension's own tables: its members in the schema of CREATE EXTENSION. The search path plays no part. Membership
// alone would not be enough, because the owner of the extension can add tables with the same names in other schemas to
// it. What is internal is in another schema, whose name never changes.
#pragma once

#include <cstdint>

#include "pg/prelude.hpp"

extern "C" {
#include "storage/lockdefs.h"
#include "utils/relcache.h"
}

namespace snowid::server {

// The script of version 1.0.0 has all functions in the schema of CREATE EXTENSION, and this schema may be anybody's.
inline constexpr const char *kInternalSchema = "_snowid";

struct ExtensionTables {
    Oid layout;
    Oid horizon;
    Oid generator;
    Oid granted;  // InvalidOid in version 1.0.0
};

// Raises an error if the extension is not in this database.
const ExtensionTables &extension_tables();

// Opens one of the tables. If it was dropped while we waited for the lock, opens the one that replaced it.
Relation open_extension_table(Oid ExtensionTables::*table, LOCKMODE lock);
Relation open_extension_table(const char *name, LOCKMODE lock);  // the same for a table that is looked up each time

// Raises an error unless the table's first columns are of these types, and no fewer than `fewest`. A superuser can have
// changed it, and nothing must be read or written as what it is not. Columns that come after these are somebody else's.
void require_columns(Relation table, const Oid *types, int fewest, int known);

// One of the tables by name, or InvalidOid if the extension is not in this database.
Oid extension_table_if_any(const char *name);

// The schema of CREATE EXTENSION, or InvalidOid if the extension is not in this database.
Oid extension_schema();

// An internal function without arguments, or InvalidOid if the extension's SQL is older and has none.
Oid internal_function_if_any(const char *name);

// Grows whenever one of the tables may have changed. A rollback counts as a change too.
std::uint64_t extension_changes();

}  // namespace snowid::server
