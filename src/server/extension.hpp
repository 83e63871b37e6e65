// The extension's own tables, found through its membership and never through the search path.
#pragma once

#include "pg/prelude.hpp"

namespace snowid::server {

// The table's OID; an error where the extension is not in this database.
Oid extension_table(const char *name);

}  // namespace snowid::server
