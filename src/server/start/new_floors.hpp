// The rows of the floors are made once, at the first start of a cluster. Inserting a row needs catalogues of a
// database, and the server's worker is connected to none. So it starts another worker, which connects to one for a
// moment.
#pragma once

namespace snowid::server {

// Returns whether the rows exist. If they do not, tries to make them first. REQUIRES: no transaction.
bool have_floors();

}  // namespace snowid::server
