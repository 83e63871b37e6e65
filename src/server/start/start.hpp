// The start of an incarnation: a background worker learns from the floor how far ids have come, or from all databases
// where the floor does not cover them, and no id is made before. Backends wait in durable/await_start.hpp.
#pragma once

namespace snowid::server {

void register_start_worker();

}  // namespace snowid::server
