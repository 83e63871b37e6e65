// Layouts in SQL, and changing the layout of a database's ids so that no new id equals an old one.
#include "core/clock/ticks.hpp"
#include "core/layout/layout_text.hpp"
#include "core/timeline/horizon.hpp"
#include "pg/compat.hpp"
#include "pg/error.hpp"
#include "pg/time.hpp"
#include "pg/type/arguments.hpp"
#include "server/durable/await_start.hpp"
#include "server/durable/horizon.hpp"
#include "server/durable/layout_record.hpp"
#include "server/durable/rows.hpp"
#include "server/durable/tables.hpp"
#include "server/named/changes.hpp"
#include "server/number/slots.hpp"
#include "server/shared/clock_guard.hpp"
#include "server/shared/settings.hpp"
#include "server/shared/shared.hpp"

extern "C" {
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/rel.h"
#include "utils/timestamp.h"
}

using namespace snowid::core;
using namespace snowid::pg;
using namespace snowid::server;

namespace {

// The instant from which every id of the new layout is greater than all ids of the old layout under this horizon.
UnixNanos first_above(const Layout &old_layout, const Layout &new_layout, UnixNanos horizon) {
    const std::int64_t end_tick = std::max<std::int64_t>(Ticks(old_layout).at(horizon) + 1, 0);
    const std::uint64_t end = old_layout.time().place(static_cast<std::uint64_t>(end_tick));
    const std::uint64_t below = new_layout.time().place(1) - 1;
    const auto tick = static_cast<std::int64_t>((end + below) >> new_layout.time().shift);
    return std::max(Ticks(new_layout).start(tick), horizon);
}

std::int64_t highest_named_horizon() {
    std::int64_t highest = 0;
    each_record([&](const GeneratorRecord &record, HeapTuple) {
        if (!scheme_row(record.scheme).has_layout) return;
        if (HorizonRow row{}; read_horizon(record.id, row)) highest = std::max(highest, row.horizon_ns);
    });
    return highest;
}

// Bypasses the triggers, because one of them drops what a session with a replication origin writes.
void write_record(const Layout &layout) {
    Relation table = open_extension_table(&ExtensionTables::layout, ExclusiveLock);
    TupleDesc columns = RelationGetDescr(table);
    int changed[] = {1};  // others may have added columns
    Datum values[] = {CStringGetTextDatum(layout_text(layout))};
    bool nulls[] = {false};
    each_row(table, [&](HeapTuple tuple) {
        update_row(table, &tuple->t_self,
                   heap_modify_tuple_by_cols(tuple, columns, std::size(changed), changed, values, nulls));
    });
    CacheInvalidateRelcache(table);
    table_close(table, NoLock);
    CommandCounterIncrement();
}

void put_row(const Rows &rows, const Preset &of) {
    const Layout layout = read_layout(of.name);
    const std::int64_t capacity = std::int64_t{1} << layout.sequence().bits;
    rows.add({
        CStringGetTextDatum(of.name.data()),
        CStringGetTextDatum(layout_text(layout)),
        Int64GetDatum(std::int64_t{layout.max_worker()} + 1),
        interval_of_micros(layout.tick_us),
        Int64GetDatum(capacity),
        Int64GetDatum(capacity * USECS_PER_SEC / layout.tick_us),
        TimestampTzGetDatum(to_timestamptz(layout.last_generated_time())),
    });
}

}  // namespace

SNOWID_FUNCTION(snowid_layout_replace) {
    require_writable(fcinfo);
    await_start();
    const Layout layout = read_new_layout(TextDatumGetCString(PG_GETARG_DATUM(0)));

    // Until the record is committed, no id goes beyond the present horizon.
    table_close(open_extension_table(&ExtensionTables::horizon, ExclusiveLock), NoLock);
    const Layout old_layout = recorded_layout();
    const UnixNanos horizon{
        std::max(shared->default_slot(Scheme::snowflake).highest_horizon_ns.load(), highest_named_horizon())};
    const UnixNanos from = first_above(old_layout, layout, horizon);
    if (from.value > std::max(latest_time().value, shared->default_slot(Scheme::snowflake).highest_horizon_ns.load()))
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("ids of the new layout would fall among the ids that this database has"),
                        errdetail("Only from %s on would every new id be greater than all ids of the old layout.",
                                  shown_time(from)),
                        errhint("Choose a layout whose time is as high in the id, and whose epoch is not later.")));
    write_record(layout);
    GeneratorHorizon horizon_of_server = default_horizon(Scheme::snowflake);
    skip_past(horizon_of_server, UsedUp::all_before(from));
    raise_floor(horizon_of_server.generator, UsedUp::all_before(from));
    cover_horizon(horizon_of_server, UsedUp::all_before(from));
    begin_by_layout(from);
    // The named generators begin again, in the new layout.
    add_pending_change(PendingChange::free_at_commit, {MyDatabaseId, extension_tables().generator, 0});
    note_change();
    PG_RETURN_VOID();
}

// Every recorded layout has passed through this function.
SNOWID_FUNCTION(snowid_layout_canonical) {
    const Layout layout = read_new_layout(text_argument(fcinfo, 0));
    return CStringGetTextDatum(layout_text(layout));
}

SNOWID_FUNCTION(snowid_layouts) {
    const Rows rows(fcinfo);
    for (const Preset &preset : kPresets) put_row(rows, preset);
    return Datum{0};
}
