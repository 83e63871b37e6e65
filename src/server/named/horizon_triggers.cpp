// The triggers of _snowid.horizon: what a dump or an INSERT says about how far ids have come.
#include "pg/error.hpp"
#include "pg/time.hpp"
#include "pg/type/arguments.hpp"
#include "server/durable/await_start.hpp"
#include "server/durable/floor.hpp"
#include "server/durable/horizon.hpp"
#include "server/durable/layout_record.hpp"
#include "server/durable/own_trigger.hpp"
#include "server/durable/rows.hpp"
#include "server/durable/tables.hpp"
#include "server/named/changes.hpp"
#include "server/number/server_number.hpp"
#include "server/number/slots.hpp"
#include "server/shared/settings.hpp"
#include "server/shared/shared.hpp"

extern "C" {
#include "access/htup_details.h"
#include "access/xact.h"
#include "commands/extension.h"
#include "miscadmin.h"
#include "utils/inval.h"
#include "utils/rel.h"
}

using namespace snowid::core;
using namespace snowid::pg;
using namespace snowid::server;

namespace {

void warn_of_future(UnixNanos end) {
    if (end.value <= wall_clock().value + settings.reserve_ns()) return;
    ereport(
        WARNING,
        (errmsg("the restored horizon is ahead of the clock: it is at %s", shown_time(end)),
         errdetail("No database of this server gets ids of that kind until the clock has reached that time."),
         errhint("If the dump comes from a server whose clock was wrong, drop this database and restart the server.")));
}

void require_sound(const HorizonRow &row) {
    if (!row.is_sound())
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("invalid state of a generator")));
}

// As far as the generators are here before their horizons, as in a dump.
bool is_of_given_times(std::int64_t generator) {
    bool is_given = false;
    if (generator > 0)
        records_with_id(generator, [&](const GeneratorRecord &record, HeapTuple) { is_given |= record.backfill; });
    return is_given;
}

// A row that SQL adds comes from a dump, of another server or of this one's past. If that server's clock was right, the
// row is ahead of it by what the server had reserved.
void take_in_row(const HorizonRow &row) {
    require_sound(row);
    const UnixNanos end = kSnoScheme.first_time_after(row.used_up());  // a row does not name its scheme
    await_reach(end);
    if (can_share()) await_start();
    if (!is_of_given_times(row.generator)) raise_floor(row.generator, row.used_up());
    if (!can_share()) return;
    for (const Scheme scheme : kSchemes) {
        if (row.generator != scheme_row(scheme).default_generator) continue;
        warn_of_future(end);
        skip_past(default_horizon(scheme), row.used_up());
    }
}

// One row per generator is enough: the existing row covers what the other one says, with either tick-tock bit. The two
// may belong to generators of different schemes.
void cover(const HorizonRow &row) { cover_restored(row.generator, row.used_up().with_either_bit()); }

HorizonRow row_in(HeapTuple tuple) { return *reinterpret_cast<const HorizonRow *>(GETSTRUCT(tuple)); }

// What a dump says about the server, its clock and its timeline belongs to another time or place. Of the toggles, only
// the parity counts.
HeapTuple without_origin(const TriggerData &trigger) {
    int columns[] = {3, 4, 6};
    Datum values[std::size(columns)] = {};
    bool nulls[std::size(columns)] = {};
    values[1] = Int64GetDatum(History::unknown().word);
    values[2] = UInt64GetDatum(row_in(trigger.tg_trigtuple).used_up().with_few_toggles().toggles);
    return heap_modify_tuple_by_cols(trigger.tg_trigtuple, RelationGetDescr(trigger.tg_relation), std::size(columns),
                                     columns, values, nulls);
}

// The layout that a restore has brought may be the older one, and so that of this database.
void take_in_layout(Relation table) {
    await_start();
    const Layout before = recorded_layout_or(settings.layout);
    CacheInvalidateRelcache(table);
    CommandCounterIncrement();  // to see the layout
    begin_by_layout({0});
    if (recorded_layout() == before) return;
    add_pending_change(PendingChange::free_at_commit, {MyDatabaseId, extension_tables().generator, 0});
}

// A generator of an extension that was dropped, with another layout, can have made ids with the server's number. Until
// the drop is committed, other sessions make more of them, below its row.
void begin_above_dropped(Scheme scheme) {
    lock_slots(LW_EXCLUSIVE);
    UnixNanos free = first_free_time(server_info(scheme, server_number(scheme)), true);
    unlock_slots();
    if (claims_end_at_commit({MyDatabaseId, InvalidOid, 0})) free = std::max(free, read_floor(scheme).named);
    const GeneratorHorizon horizon = default_horizon(scheme);
    raise_floor(horizon.generator, UsedUp::all_before(free));
    skip_past(horizon, UsedUp::all_before(free));
}

}  // namespace

SNOWID_FUNCTION(snowid_record_changed) {
    const TriggerData &trigger = own_trigger(fcinfo, TriggerKind::statement, nullptr);
    const bool is_generator = std::strcmp(RelationGetRelationName(trigger.tg_relation), "generator") == 0;
    if (is_generator && TRIGGER_FIRED_BY_INSERT(trigger.tg_event)) require_few_generators(trigger.tg_relation);
    const bool is_layout = std::strcmp(RelationGetRelationName(trigger.tg_relation), "layout") == 0;
    const bool is_restored = is_layout && TRIGGER_FIRED_BY_INSERT(trigger.tg_event) && !creating_extension;
    if (is_restored && can_share())
        take_in_layout(trigger.tg_relation);
    else
        CacheInvalidateRelcache(trigger.tg_relation);
    return Datum{0};
}

// Before an INSERT of a row.
SNOWID_FUNCTION(snowid_horizon_incoming) {
    const TriggerData &trigger = own_trigger(fcinfo, TriggerKind::before_insert, "horizon");
    require_horizon_columns(trigger.tg_relation);
    if (HeapTupleHasNulls(trigger.tg_trigtuple)) return PointerGetDatum(trigger.tg_trigtuple);  // the table refuses it
    require_sound(row_in(trigger.tg_trigtuple));
    HeapTuple tuple = without_origin(trigger);
    const HorizonRow row = row_in(tuple);
    HorizonRow known{};
    // A restore may bring the horizons before the generators, so we cannot tell whose a row is.
    if (!read_horizon(row.generator, known)) {
        require_pages(trigger.tg_relation, kMostHorizonPages);
        return PointerGetDatum(tuple);
    }
    take_in_row(row);
    cover(row);
    return kNoRow;
}

SNOWID_FUNCTION(snowid_horizon_added) {
    const TriggerData &trigger = own_trigger(fcinfo, TriggerKind::after_insert, "horizon");
    require_horizon_columns(trigger.tg_relation);
    if (!HeapTupleHasNulls(trigger.tg_trigtuple)) take_in_row(row_in(trigger.tg_trigtuple));
    return Datum{0};
}

// Where a database without a row starts: above everything that this server has reserved.
SNOWID_FUNCTION(snowid_horizon_of_server) {
    UsedUp state{{0}, 0, 0};
    if (can_share()) {
        await_start();
        for (const Scheme scheme : kSchemes) {
            const SchemeRow &row = scheme_row(scheme);
            if (PG_GETARG_INT64(0) != row.default_generator) continue;
            if (row.has_layout) begin_above_dropped(scheme);
            state = row.used_by(shared->default_slot(scheme));
        }
    }
    const RowValue row[] = {Int64GetDatum(state.horizon.value), Int64GetDatum(state.safe),
                            UInt64GetDatum(state.toggles)};
    return row_datum(fcinfo, row);
}

// For snowid_check(): whether this server's data are a copy of another server's, which may still be running.
SNOWID_FUNCTION(snowid_is_copy) {
    if (shared == nullptr && can_share()) attach_shared();
    PG_RETURN_BOOL(shared != nullptr && shared->original.load() != 0);
}
