// A session cannot change a setting of ours. PostgreSQL says so, and not what to do.
#pragma once

namespace snowid::server {

void install_set_guard();

}  // namespace snowid::server
