#include "server/shared/worker.hpp"

extern "C" {
#include "miscadmin.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"
}

namespace snowid::server {

void describe_worker(BackgroundWorker &worker, const char *function, const char *name) {
    worker.bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION;
    worker.bgw_start_time = BgWorkerStart_RecoveryFinished;
    strlcpy(worker.bgw_library_name, "snowid", sizeof worker.bgw_library_name);
    strlcpy(worker.bgw_function_name, function, sizeof worker.bgw_function_name);
    strlcpy(worker.bgw_name, name, sizeof worker.bgw_name);
    strlcpy(worker.bgw_type, name, sizeof worker.bgw_type);
}

BackgroundWorkerHandle *start_worker_in(Oid database, const char *function, const char *name) {
    BackgroundWorker worker{};
    describe_worker(worker, function, name);
    worker.bgw_restart_time = BGW_NEVER_RESTART;
    worker.bgw_main_arg = ObjectIdGetDatum(database);
    worker.bgw_notify_pid = MyProcPid;
    BackgroundWorkerHandle *handle = nullptr;
    RegisterDynamicBackgroundWorker(&worker, &handle);
    return handle;
}

void connect_worker(Oid database, const char *lock_timeout) {
    pqsignal(SIGTERM, die);
    BackgroundWorkerUnblockSignals();
    for (const char *timeout :
         {"statement_timeout", "idle_in_transaction_session_timeout", "idle_session_timeout", "transaction_timeout"})
        if (GetConfigOption(timeout, true, false) != nullptr)  // not every version has all of them
            SetConfigOption(timeout, "0", PGC_SUSET, PGC_S_OVERRIDE);
    SetConfigOption("lock_timeout", lock_timeout, PGC_SUSET, PGC_S_OVERRIDE);
    // A database may be set so that its transactions wait for those that are serializable.
    SetConfigOption("default_transaction_isolation", "read committed", PGC_SUSET, PGC_S_OVERRIDE);
    BackgroundWorkerInitializeConnectionByOid(database, InvalidOid, BGWORKER_BYPASS_ALLOWCONN);
}

}  // namespace snowid::server
