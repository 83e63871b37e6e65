// With Citus, a database is one of several whose rows end up in the same tables. Servers without their own number would
// all make the same ids there.
#pragma once

#include "server/shared/scheme.hpp"

namespace snowid::server {

// Raises an error if this is a Citus database and the server's number is only the default. It looks into the catalogue,
// so call it when a generator that has the server's number is prepared, not for each id.
void require_chosen_number(Scheme scheme);

}  // namespace snowid::server
