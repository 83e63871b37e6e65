// The start of an incarnation: a background worker reads the horizons of all databases, and nobody is given an id
// before the position stands at the highest of them.
#pragma once

namespace snowid::server {

void register_start_worker();

// Returns when ids may be generated; an error where that will not come about.
void await_start();

}  // namespace snowid::server
