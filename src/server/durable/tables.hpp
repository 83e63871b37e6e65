// The extension's own tables, in the schema of what is internal. CREATE EXTENSION makes that schema, its name never
// changes, and only a superuser can put anything there. So a name says which table it is, and the search path plays no
// part.
#pragma once

#include "pg/prelude.hpp"

extern "C" {
#include "storage/lockdefs.h"
#include "utils/relcache.h"
}

namespace snowid::server {

inline constexpr const char *kInternalSchema = "_snowid";

struct ExtensionTables {
    Oid layout;
    Oid horizon;
    Oid generator;
    Oid granted;
};

// Raises an error if the extension is not in this database.
const ExtensionTables &extension_tables();

// Opens one of the tables. If it was dropped while we waited for the lock, opens the one that replaced it.
Relation open_extension_table(Oid ExtensionTables::*table, LOCKMODE lock);
Relation open_extension_table(const char *name, LOCKMODE lock);  // the same for a table that is looked up each time

// Raises an error unless the table's first columns are of these types. A superuser can have changed it, and nothing
// must be read or written as what it is not. Columns that come after these are somebody else's.
void require_columns(Relation table, std::span<const Oid> types);

// One of the tables by name, or InvalidOid if the extension is not in this database.
Oid extension_table_if_any(const char *name);

// The table of the extension snowid_convert, or InvalidOid if that is not in this database. Nobody but a superuser can
// put another one into its schema.
Oid conversions_table_if_any();

// Whether this database may have the extension: it has the schema of what is internal. One comparison, until a schema
// is made or dropped.
bool may_have_extension();

// The schema of CREATE EXTENSION, or InvalidOid if the extension is not in this database.
Oid extension_schema();

// The function of that schema that takes exactly these arguments, whatever the search path and the user's rights to the
// schema: a view may call what its user could not name. InvalidOid if there is none.
Oid function_of(Oid schema, const char *name, std::span<const Oid> types = {});
// The same with the arguments of another function, and the name of that one without `snowid_` and with the suffix.
Oid function_behind(Oid function, const char *suffix, Oid schema);

// An internal function without arguments, or InvalidOid if the extension has none of that name.
Oid internal_function_if_any(const char *name, const char *extension = "snowid");

// Grows whenever one of the tables may have changed. A rollback counts as a change too.
std::uint64_t extension_changes();

// What statements must not do: change our settings in a session, or drop the extension snowid_convert while a
// conversion is under way.
void install_guards();

}  // namespace snowid::server
