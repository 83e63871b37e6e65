// Writing rows of the extension's own tables. PostgreSQL's functions for that are made for its catalogues. They would
// crash on an index on an expression, and give a partial index all rows. A superuser can make such an index.
#pragma once

#include "pg/prelude.hpp"

extern "C" {
#include "access/htup.h"
#include "utils/relcache.h"
}

namespace snowid::server {

// Raises an error if the table has an index that rows cannot be added to.
void require_plain_indexes(Relation table);

void insert_row(Relation table, HeapTuple row);
void update_row(Relation table, ItemPointer at, HeapTuple row);

}  // namespace snowid::server
