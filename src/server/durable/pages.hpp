// How large those tables may become that a reload or a start may have to read whole, in every database. What the pages
// hold may be dead, or may come from a transaction that was rolled back. So pages count as well as rows.
#pragma once

#include <cstdint>

#include "pg/prelude.hpp"

extern "C" {
#include "storage/block.h"
#include "utils/relcache.h"
}

namespace snowid::server {

inline constexpr std::int64_t kMostGenerators = 65536;  // rows of _snowid.generator
inline constexpr BlockNumber kMostGeneratorPages = 4096, kMostHorizonPages = 2048, kMostLayoutPages = 16;

// Before a row is added: raises an error if the table has that many pages. The table cannot grow further then, however
// often anybody tries.
void require_pages(Relation table, BlockNumber most);

// After rows were added: raises an error if _snowid.generator has too many. Until the end of the transaction, no other
// one adds any.
void require_few_generators(Relation table);

}  // namespace snowid::server
