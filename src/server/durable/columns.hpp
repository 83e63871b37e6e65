// Rows of the extension's own tables as their first columns. An earlier version's table has fewer, and somebody may
// have added some. The ones that are missing, or that are not ours, are NULL.
#pragma once

#include <span>

#include "pg/prelude.hpp"

extern "C" {
#include "access/htup.h"
#include "utils/relcache.h"
}

namespace snowid::server {

// Both spans have the same size.
void read_columns(Relation table, HeapTuple tuple, std::span<Datum> values, std::span<bool> nulls);
HeapTuple row_of_columns(Relation table, std::span<const Datum> values, std::span<const bool> nulls);

}  // namespace snowid::server
