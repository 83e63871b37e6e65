// A database of Citus is one of several, and their rows meet in the same tables. Servers without a number of their own
// would all make the same ids there.
#pragma once

#include "server/base/scheme.hpp"

namespace snowid::server {

// Raises an error if ids here would have the server's number and that is only the default. Call it for a generator that
// is about to be used, because it looks into the catalogue.
void require_chosen_number(Scheme scheme);

}  // namespace snowid::server
