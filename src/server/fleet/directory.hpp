// The background worker that asks the directory of the fleet for this server's number, and for its time. It runs on
// standbys as well, so that a promotion does not wait for a directory. No backend talks to the directory.
#pragma once

namespace snowid::server {

void register_directory_worker();  // by the postmaster, if the configuration asks for it
void start_directory_worker();     // later, if it asks for it and there is none

}  // namespace snowid::server
