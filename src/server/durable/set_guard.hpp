// A session cannot change our settings, but one. PostgreSQL's error says so, but not what to do; ours does.
#pragma once

namespace snowid::server {

void install_set_guard();

}  // namespace snowid::server
