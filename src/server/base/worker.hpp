// What all background workers of the library have in common.
#pragma once

#include "pg/prelude.hpp"

extern "C" {
#include "postmaster/bgworker.h"
}

namespace snowid::server {

inline void describe_worker(BackgroundWorker &worker, const char *function, const char *name) {
    worker.bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION;
    worker.bgw_start_time = BgWorkerStart_RecoveryFinished;
    strlcpy(worker.bgw_library_name, "snowid", sizeof worker.bgw_library_name);
    strlcpy(worker.bgw_function_name, function, sizeof worker.bgw_function_name);
    strlcpy(worker.bgw_name, name, sizeof worker.bgw_name);
    strlcpy(worker.bgw_type, name, sizeof worker.bgw_type);
}

}  // namespace snowid::server
