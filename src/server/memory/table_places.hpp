// Where a session has found the rows of catalogues that say which tables are the extension's; see tables/places.hpp.
#pragma once

#include "pg/prelude.hpp"

extern "C" {
#include "storage/itemptr.h"
}

namespace snowid::server {

struct TablePlace {
    Oid table;
    ItemPointerData row;         // of pg_class
    ItemPointerData membership;  // the row of pg_depend
};

struct DatabasePlaces {
    ItemPointerData pg_extension, pg_depend;  // their rows of pg_class
    ItemPointerData extension;                // the row of pg_extension
    TablePlace tables[6];
};

}  // namespace snowid::server
