#include "server/memory/await_start.hpp"

#include "pg/clock.hpp"
#include "pg/compat.hpp"
#include "server/base/wait.hpp"
#include "server/memory/preload.hpp"
#include "server/memory/shared.hpp"

extern "C" {
#include "access/xlog.h"
#include "miscadmin.h"
}

namespace snowid::server {
namespace {

// Without preload the first backend that needs ids starts the worker.
void ask_for_worker() {
    if (shared->worker_pid.load() != 0 || shared->worker_asked.exchange(true)) return;
    BackgroundWorker worker = start_worker();
    if (!RegisterDynamicBackgroundWorker(&worker, nullptr)) shared->worker_asked.store(false);
}

[[noreturn]] void raise_not_started() {
    const Oid unread = shared->database_to_read.load();
    const char *name = OidIsValid(unread) ? get_database_name(unread) : nullptr;
    ereport(ERROR,
            (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
             errmsg("snowid does not know yet how far the ids of this server have come"),
             name == nullptr ? errdetail("A background worker must read that in every database after each start, and "
                                         "none could be started.")
                             : errdetail("A background worker must read that in every database after each start, and "
                                         "could not in database \"%s\".",
                                         name),
             name == nullptr ? errhint("Raise max_worker_processes: snowid needs two.")
                             : errhint("The server's log has the error of a snowid reader; or a session there holds a "
                                       "lock on the table snowid_horizon. Repair or drop the database, or end the "
                                       "session.")));
}

}  // namespace

BackgroundWorker start_worker() {
    BackgroundWorker worker{};
    describe_worker(worker, "snowid_start_main", "snowid");
    worker.bgw_restart_time = 1;
    return worker;
}

void await_start() {
    constexpr std::int64_t kPatienceNs = core::millis(60'000);
    if (shared == nullptr) attach_shared();
    if (RecoveryInProgress()) raise_on_standby();
    if (!is_preloaded && shared->start.load() != StartState::ready) ask_for_worker();
    for (const std::int64_t began = pg::monotonic_ns(); shared->start.load() != StartState::ready;
         sleep_slice(core::kNanosPerMilli)) {
        const StartState start = shared->start.load();
        const std::int64_t patience_ns = start == StartState::not_begun ? kStartTimeoutNs : kPatienceNs;
        if (IsUnderPostmaster && start != StartState::failed && pg::monotonic_ns() - began < patience_ns) continue;
        raise_not_started();
    }
}

}  // namespace snowid::server
