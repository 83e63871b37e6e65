// The background worker that asks the fleet's directory for this server's number, and for time with that number. It
// also runs on standbys, so that a promotion does not have to wait for a directory. No backend talks to the directory.
#pragma once

namespace snowid::server {

void register_directory_worker();  // called by the postmaster, if the configuration asks for the worker
void start_directory_worker();     // called later, if the configuration asks for it and there is none

}  // namespace snowid::server
