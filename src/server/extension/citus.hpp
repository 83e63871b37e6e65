// A database of Citus is one of several, whose rows meet in the tables of all. Servers that have chosen no number there
// would all make the same ids.
#pragma once

#include "server/base/scheme.hpp"

namespace snowid::server {

// Raises an error if ids get the server's number here, and that is only the default. For a generator that is about to
// be used: it looks into the catalogue.
void require_chosen_number(Scheme scheme);

}  // namespace snowid::server
