#include "server/durable/await_start.hpp"

#include "pg/compat.hpp"
#include "pg/time.hpp"
#include "server/durable/floor.hpp"
#include "server/shared/shared.hpp"
#include "server/shared/wait.hpp"

extern "C" {
#include "access/xlog.h"
#include "miscadmin.h"
}

namespace snowid::server {
namespace {

// Without preload, the first backend that needs ids starts the worker.
void ask_for_worker() {
    if (shared->worker.pid.load() != 0 || shared->worker_asked.exchange(true)) return;
    BackgroundWorker worker = start_worker();
    if (!RegisterDynamicBackgroundWorker(&worker, nullptr)) shared->worker_asked.store(false);
}

[[noreturn]] void raise_not_started() {
    const Oid failed = shared->database_failed.load();
    const char *name = OidIsValid(failed) ? get_database_name(failed) : nullptr;
    if (name == nullptr)
        for (const Scheme scheme : kSchemes) read_floor(scheme);  // raises an error that says what is wrong with it
    ereport(ERROR,
            (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
             errmsg("snowid does not know yet how far this server's ids have come"),
             name == nullptr
                 ? errdetail("A background worker must read that after each start, and it could not be "
                             "started.")
                 : errdetail("This start must read that in every database, and could not in database \"%s\".", name),
             !IsUnderPostmaster ? errhint("Single-user mode has no background workers. Start the server.")
             : name == nullptr  ? errhint("Raise max_worker_processes. Snowid needs one.")
                                : errhint("The server's log has the error. Repair or drop the database.")));
}

// The horizons of all databases keep ids ascending across a restart. With a directory, that is all they are needed for.
// So a database that cannot be read does not hold ids back for long.
bool goes_on_without(const StartState start, const std::int64_t waited_ns) {
    if (!has_directory() || (start != StartState::failed && waited_ns < kStartTimeoutNs)) return false;
    const Oid failed = shared->database_failed.load();
    const char *name = OidIsValid(failed) ? get_database_name(failed) : nullptr;
    ereport(WARNING,
            (errmsg("ids may be less than those from before the last start of the server"),
             name == nullptr ? errdetail("It is not known yet how far those had come.")
                             : errdetail("How far those had come could not be read in database \"%s\".", name)));
    return true;
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
         sleep_slice(core::millis(2))) {  // long enough to notice that the postmaster is gone
        const StartState start = shared->start.load();
        const std::int64_t waited_ns = pg::monotonic_ns() - began;
        if (goes_on_without(start, waited_ns)) return;
        const std::int64_t patience_ns = start == StartState::not_begun ? kStartTimeoutNs : kPatienceNs;
        if (IsUnderPostmaster && start != StartState::failed && waited_ns < patience_ns) continue;
        raise_not_started();
    }
}

}  // namespace snowid::server
