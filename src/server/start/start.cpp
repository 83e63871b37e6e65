#include "server/start/start.hpp"

#include "pg/clock.hpp"
#include "pg/compat.hpp"
#include "pg/error.hpp"
#include "pg/time.hpp"
#include "server/base/settings.hpp"
#include "server/base/wait.hpp"
#include "server/base/worker.hpp"
#include "server/fleet/directory.hpp"
#include "server/floor/floor.hpp"
#include "server/floor/lost_wal.hpp"
#include "server/horizon/horizon.hpp"
#include "server/memory/holders.hpp"
#include "server/memory/shared.hpp"
#include "server/number/server_number.hpp"
#include "server/record/cut_off.hpp"
#include "server/record/generator_record.hpp"
#include "server/start/databases.hpp"
#include "server/start/new_floors.hpp"
#include "server/start/other_database.hpp"
#include "server/waiting/await_start.hpp"
#include "server/waiting/overflow.hpp"

extern "C" {
#include "access/xact.h"
#include "access/xlog.h"
#include "access/xlogrecovery.h"
#include "commands/dbcommands.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "postmaster/interrupt.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

PGDLLEXPORT void snowid_start_main(Datum);
}

namespace snowid::server {
namespace {

// Whether the floors say who has advanced them. Only rows can, after pg_upgrade and at the first start.
constinit bool floors_know = false;

// Goes by the highest of those that say. It is mostly the one advanced last.
constinit std::int64_t clock_known_ns = -1;

void note_clock(std::int64_t end_ns, std::int64_t boot, std::int64_t clock) {
    if (boot != shared->identity.boot || end_ns <= clock_known_ns) return;
    clock_known_ns = end_ns;
    shared->clock.set(clock);
}

// A standby that was promoted has followed its primary. What reads an archive and follows nobody was restored, and its
// original may go on.
bool was_restored() {
    return recoveryRestoreCommand != nullptr && *recoveryRestoreCommand != '\0' &&
           (PrimaryConnInfo == nullptr || *PrimaryConnInfo == '\0');
}

void note_origin(std::int64_t end_ns, std::int64_t server, core::History history) {
    if (server == 0 || end_ns <= shared->origin_known_ns.load()) return;
    shared->origin_known_ns.store(end_ns);
    const bool is_same_timeline = history.timeline() == this_history().timeline();
    const bool is_copy = is_same_timeline || history.is_of_copy() || was_restored();
    const bool is_here = can_be_same({server}, shared->identity.home);
    shared->original.store(is_copy && !is_here ? server : 0);
    if (was_upgraded() && history.cluster() != this_history().cluster())
        shared->former.store(history.of_original().word);
}

// The oldest floor of two that know comes from before a start in which only the other one was advanced.
void note_floor(const core::Floor &floor, Scheme scheme) {
    if (floor.server == 0) return;
    floors_know = true;
    const core::UnixNanos own = scheme_row(scheme).first_time_after(floor.own);
    const std::int64_t end_ns = std::max({own, floor.named, floor.others}).value;
    note_clock(end_ns, floor.boot, floor.clock);
    note_origin(end_ns, floor.server, {floor.history});
    shared->former.store(floor.former);
}

// After a reload, what is believed of the clock and of the origin is newer than the rows.
void note_row(const HorizonRow &row) {
    const bool is_start = shared->start.load() != StartState::ready;
    for (const Scheme scheme : kSchemes) {
        if (row.generator != scheme_row(scheme).default_generator) continue;
        if (is_start && !floors_know) {
            note_clock(row.horizon_ns, row.boot, row.clock_offset_ns);
            note_origin(row.horizon_ns, row.server, row.history());
        }
        skip_past(default_horizon(scheme), row.used_up());
    }
}

constinit List *cut_off = NIL;  // databases with generators whose last ids may be lost

void note_cut_off(Oid database) {
    MemoryContext caller = MemoryContextSwitchTo(TopMemoryContext);
    cut_off = list_append_unique_oid(cut_off, database);
    MemoryContextSwitchTo(caller);
}

// Whether a row was not believed, so that the next start reads it again.
constinit bool is_cut = false;

// The numbers of named generators outlive their databases.
void note_named(const SlotInfo &info, const core::UsedUp &used) {
    const SchemeRow &scheme = scheme_row(info.scheme);
    const core::UnixNanos end = scheme.first_time_after(used);
    const bool is_clocked = has_ticks_of_server(info) && !info.backfill;
    const core::UnixNanos latest = std::max(latest_believed(), {shared->reached_ns.load()});
    const core::UnixNanos counted =
        is_clocked ? std::min(end, latest) : at_most_the_clocks(end, scheme.ticks(info.layout, info.sequences));
    if (is_clocked && counted < end) is_cut = true;
    advance_to(past_of(info).named_until_ns, counted.value);
}

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

// Returns false if the database cannot be read.
bool read_database(Oid database, const LockPatience &patience) {
    const auto see_horizon = [](const HorizonRow &row) { note_row(row); };
    const auto see_generator = [database](const SlotInfo &info, bool overlap, const HorizonRow &row) {
        note_named(info, row.used_up());
        if (!overlap) note_claim(info, database, row.used_up());
        if (is_cut_off(info, row)) note_cut_off(database);
    };
    const bool done = try_to([&] { read_other_database(database, patience, {see_horizon, see_generator}); });
    if (done) forget_patience(database);
    return done;
}

// Reads the databases that are left, and keeps those that cannot be read in the list. Waits only for the first of
// these.
void read_databases(List *&left, LockPatience patience) {
    ListCell *cell = nullptr;
    foreach (cell, left) {
        if (read_database(lfirst_oid(cell), patience)) {
            left = foreach_delete_current(left, cell);
            continue;
        }
        shared->database_failed.store(lfirst_oid(cell));
        patience.ms = 1;
    }
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

void tell_of_cut_off() {
    const ListCell *cell = nullptr;
    foreach (cell, cut_off)
        ereport(WARNING,
                (errmsg("snowid: the last ids of backfill generators in database \"%s\" may be lost",
                        get_database_name(lfirst_oid(cell))),
                 errdetail("The server was restored or has failed over, or the database comes from a dump."),
                 errhint("They refuse times that they may have been given. In that database, snowid_check() names them "
                         "and says what to do.")));
}

// To be found by tests as long as a start reads both.
void tell_of_floor_below_rows(Scheme scheme, core::Floor &floor) {
    const SchemeRow &row = scheme_row(scheme);
    const core::UsedUp used = row.used_by(shared->default_slot(scheme));
    const core::UnixNanos end = row.first_time_after(used), known = row.first_time_after(floor.own);
    const std::int64_t rounding_ns = row.has_layout ? 0 : core::SnoUnits::kUnitNs;  // of rows that SQL added
    bool is_below = known.value < std::min(end, latest_time()).value - rounding_ns;
    for (const bool ticks_of_server : {true, false})
        is_below |= std::max(known, floor.of_named(ticks_of_server)).value + rounding_ns <
                    shared->number(scheme).past_of(ticks_of_server).named_until_ns.load();
    if (floor.whole != 0 && is_below)
        ereport(LOG, (errmsg("snowid: a row says more than the floor of %s", row.name),
                      errdetail("own " INT64_FORMAT " " INT64_FORMAT ", named " INT64_FORMAT " " INT64_FORMAT
                                ", others " INT64_FORMAT " " INT64_FORMAT,
                                known.value, end.value, floor.named.value,
                                shared->number(scheme).past_of(true).named_until_ns.load(), floor.others.value,
                                shared->number(scheme).past_of(false).named_until_ns.load())));
}

// What no database remembers any more.
void take_in_floor(Scheme scheme) {
    core::Floor floor = read_floor(scheme);
    tell_of_floor_below_rows(scheme, floor);
    begin_number(floor, scheme, next_number(scheme));
    skip_past(default_horizon(scheme), floor.own);
    for (const bool ticks_of_server : {true, false})
        advance_to(shared->number(scheme).past_of(ticks_of_server).named_until_ns,
                   floor.of_named(ticks_of_server).value);
    advance_to(shared->reached_ns, std::max(scheme_row(scheme).first_time_after(floor.own), floor.named).value);
}

// What has been read in the databases outlives them from now on. A restored row can be further ahead than any clock,
// and goes with its database.
void advance_floor_to_start(Scheme scheme) {
    const SchemeRow &row = scheme_row(scheme);
    const core::UsedUp used = row.used_by(shared->default_slot(scheme));
    const core::UnixNanos end = row.first_time_after(used);
    const core::UnixNanos counted = std::min(end, std::max(latest_believed(), {shared->reached_ns.load()}));
    change_floor_and_flush(scheme, [&](core::Floor &floor) {
        floor.whole = counted == end && !is_cut ? 1 : 0;
        floor.former = shared->former.load();
        stamp(floor);
        begin_number(floor, scheme, server_number(scheme));
        floor.own = core::merged(floor.own, counted == end ? used : core::UsedUp::all_before(counted));
        for (const bool ticks_of_server : {true, false}) {
            core::UnixNanos &named = floor.of_named(ticks_of_server);
            const std::int64_t past_ns = shared->number(scheme).past_of(ticks_of_server).named_until_ns.load();
            named.value = std::max(named.value, past_ns);
        }
    });
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
    tell_of_cut_off();
    shared->start.store(StartState::ready);
}

// REQUIRES: no row has been read yet, because rows are judged by the history of the cluster, which this changes. An
// earlier time replaces a later one: the clock may have been ahead when WAL was lost before.
void take_in_lost_wal() {
    const std::int64_t lost = wal_lost_before_start();
    const bool is_upgraded = was_upgraded();
    for (const Scheme scheme : kSchemes) {
        core::Floor known{};
        change_floor_and_flush(scheme, [&](core::Floor &floor) {
            if (lost != 0) floor.lost = lost;
            if (is_upgraded) floor.whole = floor.server = 0;
            known = floor;
        });
        shared->lost_wal.store(known.lost);
        note_floor(known, scheme);
    }
    forget_lost_wal();
}

// Tries until all databases and the floors have been read. All of them wait for this, so a session that stays in the
// way for long is ended.
void make_start() {
    if (!is_preloaded) want_configured_numbers();
    choose_next_numbers();
    List *left = all_databases();
    for (const std::int64_t began = pg::monotonic_ns();;) {
        // first, because with a directory ids go on without the databases
        const bool floors = have_floors() && try_to([] { take_in_lost_wal(); });
        read_databases(left, {.ms = kMostPatienceMs, .ends_blockers = true});
        if (floors && left == NIL && try_to([] { begin_incarnation(); })) return;
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
    List *left = all_databases();
    read_databases(left, {.ms = kMostPatienceMs, .ends_blockers = false});
    const bool all = left == NIL;
    list_free(left);
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
    connect_worker(InvalidOid);
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
        long again_ms = notify_overflows();
        if (!settled) settled = settle_numbers();
        start_directory_worker();
        if (!settled && again_ms < 0) again_ms = 1000;
        const int events = WL_LATCH_SET | WL_EXIT_ON_PM_DEATH | (again_ms < 0 ? 0 : WL_TIMEOUT);
        WaitLatch(MyLatch, events, again_ms, snowid::pg::idle_wait_event());
        ResetLatch(MyLatch);
        CHECK_FOR_INTERRUPTS();
        if (ShutdownRequestPending) proc_exit(1);
        if (!ConfigReloadPending) continue;
        reload();
        settled = false;
    }
}
