#include "server/start.hpp"

#include "core/timeline/horizon.hpp"
#include "pg/clock.hpp"
#include "pg/compat.hpp"
#include "pg/function.hpp"
#include "server/horizon.hpp"
#include "server/overflow.hpp"
#include "server/preload.hpp"
#include "server/settings.hpp"
#include "server/shmem.hpp"
#include "server/sno_horizon.hpp"
#include "server/wait.hpp"
#include "server/worker.hpp"

extern "C" {
#include "access/genam.h"
#include "access/table.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/pg_database.h"
#include "commands/dbcommands.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "postmaster/interrupt.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "tcop/tcopprot.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

PGDLLEXPORT void snowid_start_main(Datum);
PGDLLEXPORT void snowid_read_main(Datum);
}

namespace snowid::server {
namespace {

List *all_databases() {
    StartTransactionCommand();
    List *databases = NIL;
    Relation table = table_open(DatabaseRelationId, AccessShareLock);
    SysScanDesc scan = systable_beginscan(table, InvalidOid, false, nullptr, 0, nullptr);
    while (HeapTuple tuple = systable_getnext(scan)) {
        const auto *row = reinterpret_cast<Form_pg_database>(GETSTRUCT(tuple));
        MemoryContext caller = MemoryContextSwitchTo(TopMemoryContext);
        if (row->datconnlimit >= -1) databases = lappend_oid(databases, row->oid);  // less: dropped halfway
        MemoryContextSwitchTo(caller);
    }
    systable_endscan(scan);
    table_close(table, AccessShareLock);
    CommitTransactionCommand();
    return databases;
}

// A worker has one database in its life: each is read by one of its own. It ends by saying which database it has read.
bool read_database(Oid database) {
    BackgroundWorker worker{};
    describe_worker(worker, "snowid_read_main", "snowid reader");
    worker.bgw_restart_time = BGW_NEVER_RESTART;
    worker.bgw_main_arg = ObjectIdGetDatum(database);
    worker.bgw_notify_pid = MyProcPid;
    BackgroundWorkerHandle *handle = nullptr;
    shared->database_read.store(InvalidOid);
    const bool started = RegisterDynamicBackgroundWorker(&worker, &handle);
    shared->database_to_read.store(started ? database : InvalidOid);
    if (!started) return false;
    WaitForBackgroundWorkerShutdown(handle);
    return shared->database_read.load() == database;
}

bool is_dropped(Oid database) {
    StartTransactionCommand();
    const bool found = SearchSysCacheExists1(DATABASEOID, ObjectIdGetDatum(database));
    CommitTransactionCommand();
    return !found;
}

bool read_all_databases() {
    List *databases = all_databases();
    bool all = true;
    ListCell *cell = nullptr;
    foreach (cell, databases) all = all && (read_database(lfirst_oid(cell)) || is_dropped(lfirst_oid(cell)));
    list_free(databases);
    return all;
}

void begin_incarnation() {
    for (Slot *slot : {&shared->slot, &shared->sno_slot}) slot->start_ns.store(slot->highest_horizon_ns.load());
    if (shared->clock.believed_ns() == 0) shared->clock.set(pg::clock_offset_ns());
    if (shared->moved.load())
        ereport(WARNING,
                (errmsg("snowid: this server's data come from another server"),
                 errdetail("The horizon was last raised on another machine, or in another data directory, on the "
                           "same WAL timeline."),
                 errhint("If the other server goes on, two servers have the worker id of snowid.worker_id and "
                         "will make the same ids. Give one of them another.")));
    shared->start.store(Start::ready);
}

// The highest row is the one that was raised last; others may be those of databases that have long been idle.
void note_clock(const HorizonRow &row) {
    if (row.horizon_ns <= shared->slot.highest_horizon_ns.load()) return;
    if (row.horizon_ns <= shared->sno_slot.highest_horizon_ns.load()) return;
    if (row.boot == shared->identity.boot) shared->clock.set(row.clock_offset_ns);
    shared->moved.store(row.server != 0 && row.server != shared->identity.server &&
                        row.timeline == static_cast<std::int64_t>(GetWALInsertionTimeLine()));
}

void note_row(const HorizonRow &row) {
    for (const Scheme scheme : {Scheme::snowflake, Scheme::sno}) {
        if (row.generator != default_generator(scheme)) continue;
        note_clock(row);
        go_on_above(default_horizon_holder(scheme), row.used_up());
    }
}

BackgroundWorker start_worker() {
    BackgroundWorker worker{};
    describe_worker(worker, "snowid_start_main", "snowid");
    worker.bgw_restart_time = 1;
    return worker;
}

// The first backend that needs ids starts the worker that a preloaded library has from the server's start.
void ask_for_worker() {
    if (shared->worker_pid.load() != 0 || shared->worker_asked.exchange(true)) return;
    BackgroundWorker worker = start_worker();
    if (!RegisterDynamicBackgroundWorker(&worker, nullptr)) shared->worker_asked.store(false);
}

void resign(int, Datum) {
    shared->worker_latch.store(nullptr);
    shared->worker_pid.store(0);
}

// After a crash PostgreSQL brings back a worker that a backend may have asked for as well: one of them is enough.
bool become_the_worker() {
    int nobody = 0;
    if (!shared->worker_pid.compare_exchange_strong(nobody, MyProcPid)) return false;
    on_shmem_exit(resign, Datum{0});
    return true;
}

void warn_of_settings() {
    if (settings.reserve_ms > settings.clock_drift_ms)
        ereport(WARNING, (errmsg("snowid.reserve is more than snowid.clock_drift, whose %d ms are used instead",
                                 settings.clock_drift_ms)));
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

// What has not succeeded after so long will not: the server had no place for a worker, or a database cannot be read.
constexpr std::int64_t kToBeginNs = 5'000 * core::kNanosPerMilli;

}  // namespace

void register_start_worker() {
    if (IsBinaryUpgrade) return;  // pg_upgrade wants the databases for itself
    BackgroundWorker worker = start_worker();
    RegisterBackgroundWorker(&worker);
}

void await_start() {
    constexpr std::int64_t kPatienceNs = 60'000 * core::kNanosPerMilli;
    if (shared == nullptr) attach_shared();
    if (RecoveryInProgress()) raise_on_standby();
    if (!is_preloaded && shared->start.load() != Start::ready) ask_for_worker();
    for (const std::int64_t began = pg::monotonic_ns(); shared->start.load() != Start::ready;
         sleep_slice(core::kNanosPerMilli)) {
        const Start start = shared->start.load();
        const std::int64_t patience_ns = start == Start::not_begun ? kToBeginNs : kPatienceNs;
        if (IsUnderPostmaster && start != Start::failed && pg::monotonic_ns() - began < patience_ns) continue;
        raise_not_started();
    }
}

}  // namespace snowid::server

using namespace snowid::server;

// Stays for the server's life, to tell of overflows: a worker that ends well is not started again when a crash has
// emptied shared memory.
void snowid_start_main(Datum) {
    pqsignal(SIGTERM, die);
    pqsignal(SIGHUP, SignalHandlerForConfigReload);
    BackgroundWorkerUnblockSignals();
    BackgroundWorkerInitializeConnection(nullptr, nullptr, 0);
    if (shared == nullptr) attach_shared();
    if (!become_the_worker()) return;
    Start before = Start::not_begun;
    shared->start.compare_exchange_strong(before, Start::reading);
    const std::int64_t began = snowid::pg::monotonic_ns();
    while (shared->start.load() != Start::ready) {
        if (read_all_databases()) {
            begin_incarnation();
        } else {
            const bool in_vain = snowid::pg::monotonic_ns() - began >= kToBeginNs;
            if (in_vain) shared->start.store(Start::failed);
            sleep_slice((in_vain ? 1000 : 100) * snowid::core::kNanosPerMilli);
        }
    }
    warn_of_settings();
    shared->worker_latch.store(MyLatch);
    pqsignal(SIGTERM, SignalHandlerForShutdownRequest);
    for (;;) {
        const long again_ms = tell_overflows();
        const int events = WL_LATCH_SET | WL_EXIT_ON_PM_DEATH | (again_ms < 0 ? 0 : WL_TIMEOUT);
        WaitLatch(MyLatch, events, again_ms, snowid::pg::idle_wait_event());
        ResetLatch(MyLatch);
        CHECK_FOR_INTERRUPTS();
        if (ShutdownRequestPending) proc_exit(1);
        if (!ConfigReloadPending) continue;
        ConfigReloadPending = 0;
        ProcessConfigFile(PGC_SIGHUP);
        warn_of_settings();
    }
}

void snowid_read_main(Datum database) {
    pqsignal(SIGTERM, die);
    BackgroundWorkerUnblockSignals();
    BackgroundWorkerInitializeConnectionByOid(DatumGetObjectId(database), InvalidOid, BGWORKER_BYPASS_ALLOWCONN);
    if (shared == nullptr) attach_shared();
    StartTransactionCommand();
    read_horizons(note_row);
    CommitTransactionCommand();
    shared->database_read.store(DatumGetObjectId(database));
}
