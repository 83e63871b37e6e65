// What all background workers of the library have in common.
#pragma once

#include "pg/prelude.hpp"

extern "C" {
#include "postmaster/bgworker.h"
}

namespace snowid::server {

void describe_worker(BackgroundWorker &worker, const char *function, const char *name);

// Starts one that ends for good. This process hears of it. Returns nullptr if there is no room for another worker.
BackgroundWorkerHandle *start_worker_in(Oid database, const char *function, const char *name);

// Connects this worker to a database, or to none, after which SIGTERM ends it. No timeout that is set for sessions
// does.
void connect_worker(Oid database, const char *lock_timeout = "0");

}  // namespace snowid::server
