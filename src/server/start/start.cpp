#include "server/start/start.hpp"

#include "pg/compat.hpp"
#include "pg/error.hpp"
#include "pg/time.hpp"
#include "server/durable/await_start.hpp"
#include "server/durable/floor.hpp"
#include "server/durable/horizon.hpp"
#include "server/durable/lost_wal.hpp"
#include "server/generator/overflow.hpp"
#include "server/named/generator_record.hpp"
#include "server/number/server_number.hpp"
#include "server/number/tenure.hpp"
#include "server/safe/holders.hpp"
#include "server/shared/settings.hpp"
#include "server/shared/shared.hpp"
#include "server/shared/wait.hpp"
#include "server/shared/worker.hpp"

extern "C" {
#include "access/xact.h"
#include "access/xlog.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "utils/guc.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

PGDLLEXPORT void snowid_start_main(Datum);
PGDLLEXPORT void snowid_floor_main(Datum);
}

namespace snowid::server {
namespace {

constinit std::int64_t quiet_until_ns = 0;  // what stays wrong is tried again every second, and told once a minute

void tell_next_in_a_minute() {
    const std::int64_t now_ns = pg::monotonic_ns();
    if (now_ns >= quiet_until_ns) quiet_until_ns = now_ns + 60 * core::kNanosPerSecond;
}

// Runs `work` in a transaction. Returns false if it raised an error, which is then in the log.
bool try_to(core::FunctionRef<void()> work) {
    MemoryContext caller = CurrentMemoryContext;
    volatile bool done = false;
    StartTransactionCommand();
    PG_TRY();
    {
        work();
        CommitTransactionCommand();
        done = true;
    }
    PG_CATCH();
    {
        MemoryContextSwitchTo(caller);
        if (pg::monotonic_ns() >= quiet_until_ns) EmitErrorReport();
        AbortCurrentTransaction();
        FlushErrorState();
    }
    PG_END_TRY();
    return done;
}

void tell_of_number() {
    if (shared->number(Scheme::snowflake).is_set.load()) return;
    ereport(LOG, (errmsg("snowid: snowid.worker_id is not set, so this server makes its ids with worker 0"),
                  errhint("If another server makes ids of the same kind, set a different number on each.")));
}

void tell_of_end() {
    constexpr std::int64_t kTwoYearsUs = 2LL * 365 * 24 * 60 * 60 * core::kMicrosPerSecond;
    const core::UnixMicros end = shared->layout.last_generated_time();
    if (end.value > core::to_micros(pg::wall_clock()).value + kTwoYearsUs) return;
    ereport(
        WARNING,
        (errmsg("snowid: the time of this server's layout runs out at %s", timestamptz_to_str(pg::to_timestamptz(end))),
         errdetail("Its layout is %s.", pg::layout_text(shared->layout)),
         errhint(
             "From then on it makes no snowflakes. Plan which key follows. If the layout fills the bigint, no id of "
             "another layout is above its last one.")));
}

void tell_of_original() {
    if (shared->original.load() == 0 || has_directory()) return;  // a directory gives each server its own number
    ereport(
        WARNING,
        (errmsg("snowid: this server's data were copied or moved"),
         errdetail("The horizon was last advanced on another machine, or in another data directory, and this server "
                   "is not a standby of it that was promoted."),
         errhint("If a server still runs on the original, give this one another snowid.worker_id and its named "
                 "generators other numbers, or both will make the same ids. This message returns at each start until "
                 "a superuser runs: SELECT snowid_horizon_advance(now());")));
}

bool have_all_floors() {
    StartTransactionCommand();
    const bool all = std::all_of(std::begin(kSchemes), std::end(kSchemes), has_floor);
    CommitTransactionCommand();
    return all;
}

// Returns false if there is no room for another worker.
bool make_floors_in(Oid database) {
    BackgroundWorkerHandle *handle = start_worker_in(database, "snowid_floor_main", "snowid floor");
    if (handle != nullptr) WaitForBackgroundWorkerShutdown(handle);
    return handle != nullptr;
}

// The rows of the floors are made once, at the first start of a cluster. Inserting a row needs catalogues of a
// database, and the server's worker is connected to none. So it starts another worker, which connects to one for a
// moment. A database that was made later is less likely to be a template, from which nobody can make another one
// meanwhile. Returns whether the rows exist now.
bool have_floors() {
    if (have_all_floors()) return true;
    const List *databases = all_databases();
    for (int i = list_length(databases) - 1; i >= 0; --i) {
        if (!make_floors_in(list_nth_oid(databases, i))) break;
        if (have_all_floors()) return true;
    }
    ereport(LOG, (errmsg("snowid: no second background worker could record how far this server's ids have come"),
                  errhint("Raise max_worker_processes. At its first start snowid needs a second one for a moment.")));
    return false;
}

// Whether the floors cover all rows, so that a start goes by them alone.
bool are_whole() {
    return std::all_of(std::begin(kSchemes), std::end(kSchemes),
                       [](Scheme scheme) { return read_floor(scheme).whole != 0; });
}

// What all databases remember, and those that are gone.
void take_in_floor(Scheme scheme) {
    core::Floor floor = read_floor(scheme);
    begin_number(floor, scheme, next_number(scheme));
    skip_past(default_horizon(scheme), floor.own);
    for (const bool ticks_of_server : {true, false})
        advance_to(shared->number(scheme).past_of(ticks_of_server).named_until_ns,
                   floor.of_named(ticks_of_server).value);
    advance_to(shared->reached_ns, std::max(scheme_row(scheme).first_time_after(floor.own), floor.named).value);
}

// What has been read in the databases outlives them from now on.
void advance_floor_to_start(Scheme scheme) {
    const SchemeRow &row = scheme_row(scheme);
    const core::UsedUp used = row.used_by(shared->default_slot(scheme));
    const core::UnixNanos end = row.first_time_after(used);
    LockedFloor locked(scheme);
    core::Floor &floor = locked.floor;
    floor.whole = shared->has_cut.load() ? 0 : 1;
    stamp(floor);
    begin_number(floor, scheme, server_number(scheme));
    cover_own(floor, used, end);
    for (const bool ticks_of_server : {true, false}) {
        core::UnixNanos &named = floor.of_named(ticks_of_server);
        const std::int64_t past_ns = shared->number(scheme).past_of(ticks_of_server).named_until_ns.load();
        named.value = std::max(named.value, past_ns);
    }
    locked.write_and_flush();
}

void begin_incarnation() {
    if (shared->clock.believed_ns() == 0) shared->clock.set(pg::clock_offset_ns());
    for (const Scheme scheme : kSchemes) take_in_floor(scheme);
    start_numbers();
    for (const Scheme scheme : kSchemes) advance_floor_to_start(scheme);
    forget_upgrade();
    tell_of_number();
    tell_of_original();
    tell_of_end();
    shared->start.store(StartState::ready);
}

// REQUIRES: no row has been read yet, because rows are judged by the history of the cluster, which this changes. An
// earlier time replaces a later one: the clock may have been ahead when WAL was lost before.
void take_in_lost_wal() {
    const std::int64_t lost = wal_lost_before_start();
    const bool is_unread = server::is_unread();
    for (const Scheme scheme : kSchemes) {
        LockedFloor locked(scheme);
        if (lost != 0) locked.floor.lost = lost;
        if (is_unread) locked.floor.whole = locked.floor.server = 0;
        locked.write_and_flush();
        shared->lost_wal.store(locked.floor.lost);
        note_origin(locked.floor, scheme);
    }
    forget_lost_wal();
}

bool is_quiet() { return pg::monotonic_ns() < quiet_until_ns; }

// Goes by the floors, and where they are not whole, reads all databases first. Tries until that is done.
void make_start() {
    if (!is_preloaded) want_configured_numbers();
    choose_next_numbers();
    List *read = NIL;
    bool is_known = false, all = false;
    for (const std::int64_t began = pg::monotonic_ns();;) {
        // first, because with a directory ids go on without the databases
        const bool floors = have_floors() && try_to([] { take_in_lost_wal(); });
        if (floors && !is_known) {
            volatile bool whole = false;
            is_known = try_to([&whole] { whole = are_whole(); });
            all = is_known && whole;
        }
        if (is_known && !all) all = read_databases(read, is_quiet());
        if (all && try_to([] { begin_incarnation(); })) return;
        const bool in_vain = pg::monotonic_ns() - began >= kStartTimeoutNs;
        if (in_vain) {
            shared->start.store(StartState::failed);
            tell_next_in_a_minute();
        }
        sleep_slice(core::millis(in_vain ? 1000 : 100));
    }
}

// Returns false if the claims cannot be read now, or the clock has not come far enough. Ids then keep the numbers in
// force.
bool settle_numbers() {
    if (!wants_other_numbers()) return true;
    choose_next_numbers();
    List *read = NIL;
    const bool all = read_databases(read, is_quiet());
    list_free(read);
    if (!all) {
        tell_next_in_a_minute();
        return false;
    }
    StartTransactionCommand();  // the log messages need the names of databases
    const bool settled = install_next_numbers();
    CommitTransactionCommand();
    return settled;
}

void warn_of_settings() {
    check_directory_settings(WARNING);
    if (settings.reserve_ms > settings.clock_drift_ms)
        ereport(WARNING,
                (errmsg("snowid.reserve is more than snowid.clock_drift, so the latter, %d ms, is used instead",
                        settings.clock_drift_ms)));
}

// Without preload, the worker announces the numbers of a reload.
void reload() {
    ConfigReloadPending = 0;
    quiet_until_ns = 0;
    ProcessConfigFile(PGC_SIGHUP);
    if (!is_preloaded) want_configured_numbers();
    warn_of_settings();
}

}  // namespace

void register_start_worker() {
    if (IsBinaryUpgrade) return;  // pg_upgrade needs the databases for itself
    BackgroundWorker worker = start_worker();
    RegisterBackgroundWorker(&worker);
}

}  // namespace snowid::server

using namespace snowid::server;

// The worker lives as long as the server. After the start it sends notifications of overflows. It must not exit
// normally, because PostgreSQL would not restart it after a crash that empties shared memory.
void snowid_start_main(Datum) {
    pqsignal(SIGHUP, SignalHandlerForConfigReload);
    connect_worker(InvalidOid, "1s");
    if (shared == nullptr) attach_shared();
    if (!shared->worker.take()) return;
    note_incarnation();
    StartState before = StartState::not_begun;
    shared->start.compare_exchange_strong(before, StartState::reading);
    make_start();
    warn_of_settings();
    shared->worker.latch.store(MyLatch);
    pqsignal(SIGTERM, SignalHandlerForShutdownRequest);
    for (bool settled = false;;) {
        // Whoever waits for a reader misses what sets the latch meanwhile, so we look for that afterwards.
        if (!settled) settled = settle_numbers();
        start_directory_worker();
        long again_ms = notify_overflows();
        if (!settled && again_ms < 0) again_ms = 1000;
        const int events = WL_LATCH_SET | WL_EXIT_ON_PM_DEATH | (again_ms < 0 ? 0 : WL_TIMEOUT);
        if (!ConfigReloadPending && !ShutdownRequestPending)
            WaitLatch(MyLatch, events, again_ms, snowid::pg::idle_wait_event());
        ResetLatch(MyLatch);
        CHECK_FOR_INTERRUPTS();
        if (ShutdownRequestPending) proc_exit(1);
        if (!ConfigReloadPending) continue;
        reload();
        settled = false;
    }
}

// The commit waits for no standby. It is flushed before the first id is made, because the floor is written before that.
void snowid_floor_main(Datum database) {
    connect_worker(DatumGetObjectId(database));
    SetConfigOption("synchronous_commit", "local", PGC_SUSET, PGC_S_OVERRIDE);
    StartTransactionCommand();
    PushActiveSnapshot(GetTransactionSnapshot());
    make_floors();
    PopActiveSnapshot();
    CommitTransactionCommand();
    ereport(LOG, (errmsg("snowid: the server keeps a record of how far its ids have come from now on"),
                  errdetail("Databases that were dropped earlier are not in it.")));
}
