// The start of an incarnation: a background worker reads the horizons of all databases, and no id is made before the
// positions are at the highest of them. Backends wait in waiting/await_start.hpp.
#pragma once

namespace snowid::server {

void register_start_worker();

}  // namespace snowid::server
