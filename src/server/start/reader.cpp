#include "server/durable/horizon.hpp"
#include "server/durable/horizon_page.hpp"
#include "server/durable/layout_record.hpp"
#include "server/durable/lost_wal.hpp"
#include "server/durable/rows.hpp"
#include "server/durable/tables.hpp"
#include "server/named/generator_record.hpp"
#include "server/number/server_number.hpp"
#include "server/shared/clock_guard.hpp"
#include "server/shared/settings.hpp"
#include "server/shared/shared.hpp"
#include "server/shared/worker.hpp"
#include "server/start/start.hpp"

extern "C" {
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "access/xlogrecovery.h"
#include "catalog/pg_database.h"
#include "miscadmin.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

PGDLLEXPORT void snowid_reader_main(Datum);
}

namespace snowid::server {
namespace {

// The rows of _snowid.horizon, by generator.
struct Horizons {
    HorizonRow *rows;
    std::size_t count, room;

    void add(const HorizonRow &row) {
        if (count == room) {
            room = room == 0 ? 16 : 2 * room;
            const Size size = room * sizeof(HorizonRow);
            rows = static_cast<HorizonRow *>(rows == nullptr ? palloc(size) : repalloc_huge(rows, size));
        }
        rows[count++] = row;
    }
    void sort() {
        std::sort(rows, rows + count,
                  [](const HorizonRow &a, const HorizonRow &b) { return a.generator < b.generator; });
    }
    bool find(std::int64_t generator, HorizonRow &all) const {
        const HorizonRow *row = std::lower_bound(rows, rows + count, generator,
                                                 [](const HorizonRow &a, std::int64_t g) { return a.generator < g; });
        if (row == rows + count || row->generator != generator) return false;
        for (all = *row; ++row != rows + count && row->generator == generator;) all.merge(*row);
        return true;
    }
};

// At a reload, what is believed of the clock and of the origin is newer than the rows.
void note_row(const HorizonRow &row) {
    for (const Scheme scheme : kSchemes) {
        if (row.generator != scheme_row(scheme).default_generator) continue;
        if (shared->start.load() != StartState::ready) note_origin(row);
        skip_past(default_horizon(scheme), row.used_up());
    }
}

Horizons read_horizons() {
    Horizons horizons{};
    Relation table = open_extension_table(&ExtensionTables::horizon, AccessShareLock);
    see_all_horizon_rows(table, [&](HorizonRow row) {
        row.make_sound();
        note_row(row);
        horizons.add(row);
    });
    table_close(table, AccessShareLock);
    horizons.sort();
    return horizons;
}

// The numbers of named generators outlive their databases. After the start, the memory knows what they make. What no
// clock can have made is not believed, and then the next start reads it again; given times and long ticks, which go
// further ahead, are believed as far as they count.
void note_named(const SlotInfo &info, const core::UsedUp &used) {
    const SchemeRow &scheme = scheme_row(info.scheme);
    const core::UnixNanos end = scheme.first_time_after(used);
    const bool is_clocked = has_ticks_of_server(info) && !info.backfill;
    const core::Ticks ticks = is_clocked ? core::Ticks{} : scheme.ticks(info.layout, info.sequences);
    const core::UnixNanos counted = info.backfill ? at_most_the_clocks(end, ticks) : at_most_believed(end, ticks);
    if (is_clocked && counted < end) shared->has_cut.store(true);
    advance_to(past_of(info).named_until_ns, counted.value);
}

// pg_upgrade has brought the row and loses nothing, but the cluster is another one.
void take_over(std::int64_t generator) {
    change_horizon_rows(generator, [](HorizonRow &row) {
        const bool is_known = row.history() != core::History::unknown();
        if (is_known) row.timeline = this_history().word;
        return is_known;
    });
}

// If its horizon is lost, a generator counts as used up as far as the clock lets ids go now.
void read_generators(const Horizons &horizons) {
    const bool is_start = shared->start.load() != StartState::ready;
    const core::Layout layout = recorded_layout_or(settings.layout);
    each_claim([&](const GeneratorRecord &record) {
        HorizonRow row{.generator = record.id};
        if (!horizons.find(record.id, row)) row.set(core::UsedUp::all_before(latest_time()));
        if (record.backfill && was_upgraded()) take_over(record.id);
        const SlotInfo info = record.info_in(layout);
        if (is_start) note_named(info, row.used_up());
        if (!record.overlap) note_claim(info, MyDatabaseId, row.used_up());
    });
}

void read_this_database() {
    if (OidIsValid(extension_schema())) read_generators(read_horizons());
}

// Returns false if the database cannot be read, or if there is no room for another worker.
bool read_database(Oid database, bool quietly) {
    shared->database_read.store(InvalidOid);
    shared->reads_quietly.store(quietly);
    if (BackgroundWorkerHandle *handle = start_worker_in(database, "snowid_reader_main", "snowid reader"))
        WaitForBackgroundWorkerShutdown(handle);
    else if (!quietly)
        ereport(LOG, (errmsg("snowid: no second background worker could read how far ids have come"),
                      errhint("Raise max_worker_processes. Snowid needs a second one for a moment.")));
    return shared->database_read.load() == database;
}

struct Origin {
    std::int64_t end_ns, server;
    core::History history;
};

// A standby that was promoted has followed its primary. What reads an archive and follows nobody was restored, and its
// original may go on.
bool was_restored() {
    return recoveryRestoreCommand != nullptr && *recoveryRestoreCommand != '\0' &&
           (PrimaryConnInfo == nullptr || *PrimaryConnInfo == '\0');
}

void note_clock(const core::Floor &floor, std::int64_t end_ns) {
    if (floor.boot != shared->identity.boot || end_ns <= shared->clock_known_ns.load()) return;
    shared->clock_known_ns.store(end_ns);
    shared->clock.set(floor.clock);
}

void note(const Origin &origin) {
    if (origin.end_ns <= shared->origin_known_ns.load()) return;
    shared->origin_known_ns.store(origin.end_ns);
    const bool is_same_timeline = origin.history.timeline() == this_history().timeline();
    const bool is_copy = is_same_timeline || origin.history.is_of_copy() || was_restored();
    const bool is_here = can_be_same({origin.server}, shared->identity.home);
    shared->original.store(is_copy && !is_here ? origin.server : 0);
}

}  // namespace

List *all_databases() {
    StartTransactionCommand();
    List *databases = NIL;
    Relation table = table_open(DatabaseRelationId, AccessShareLock);
    each_row(table, [&databases](HeapTuple tuple) {
        const auto *row = reinterpret_cast<Form_pg_database>(GETSTRUCT(tuple));
        MemoryContext caller = MemoryContextSwitchTo(TopMemoryContext);
        if (row->datconnlimit >= -1) databases = lappend_oid(databases, row->oid);  // below -1: it was being dropped
        MemoryContextSwitchTo(caller);
    });
    table_close(table, AccessShareLock);
    CommitTransactionCommand();
    return databases;
}

bool read_databases(List *&read, bool quietly) {
    for (bool all = true; all;) {
        List *databases = all_databases();
        List *left = list_difference_oid(databases, read);
        list_free(databases);
        if (left == NIL) return true;
        ListCell *cell = nullptr;
        foreach (cell, left) {
            CHECK_FOR_INTERRUPTS();
            const Oid database = lfirst_oid(cell);
            if (!read_database(database, quietly)) {
                shared->database_failed.store(database);
                all = false;
                continue;
            }
            MemoryContext caller = MemoryContextSwitchTo(TopMemoryContext);
            read = lappend_oid(read, database);
            MemoryContextSwitchTo(caller);
        }
        list_free(left);
    }
    return false;
}

}  // namespace snowid::server

using namespace snowid::server;

void snowid_reader_main(Datum argument) {
    const Oid database = DatumGetObjectId(argument);
    connect_worker(database, "1s");
    if (shared == nullptr) attach_shared();
    if (shared->reads_quietly.load()) SetConfigOption("log_min_messages", "fatal", PGC_SUSET, PGC_S_OVERRIDE);
    StartTransactionCommand();
    PushActiveSnapshot(GetTransactionSnapshot());
    read_this_database();
    PopActiveSnapshot();
    CommitTransactionCommand();
    shared->database_read.store(database);
}

namespace snowid::server {

void note_origin(const core::Floor &floor, Scheme scheme) {
    if (floor.server == 0) return;
    const core::UnixNanos own = scheme_row(scheme).first_time_after(floor.own);
    const std::int64_t end_ns = std::max({own, floor.named, floor.others}).value;
    note_clock(floor, end_ns);
    note({end_ns, floor.server, {floor.history}});
    shared->floors_know.store(true);
}

void note_origin(const HorizonRow &row) {
    if (shared->floors_know.load() || row.server == 0) return;
    note({row.horizon_ns, row.server, row.history()});
}

}  // namespace snowid::server
