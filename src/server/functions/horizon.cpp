// SQL functions for the horizon: the triggers of its table, and the ways for a superuser to move it.
#include "server/horizon/horizon.hpp"
#include "pg/clock.hpp"
#include "pg/error.hpp"
#include "pg/shown.hpp"
#include "pg/time.hpp"
#include "pg/type/arguments.hpp"
#include "server/base/settings.hpp"
#include "server/extension/own_trigger.hpp"
#include "server/floor/floor.hpp"
#include "server/layout/layout_record.hpp"
#include "server/memory/shared.hpp"
#include "server/number/pending_changes.hpp"
#include "server/number/server_number.hpp"
#include "server/number/slots.hpp"
#include "server/record/changes.hpp"
#include "server/session/generators.hpp"
#include "server/tables/room.hpp"
#include "server/tables/tables.hpp"
#include "server/waiting/await_start.hpp"

extern "C" {
#include "access/heapam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "commands/extension.h"
#include "miscadmin.h"
#include "utils/inval.h"
#include "utils/rel.h"
#include "utils/timestamp.h"
}

using namespace snowid::server;
using snowid::core::Floor;
using snowid::core::SnoUnits;
using snowid::core::UnixMicros;
using snowid::core::UnixNanos;
using snowid::core::UsedUp;

namespace {

void warn_of_future(UnixNanos end) {
    if (end.value <= snowid::pg::wall_clock().value + settings.reserve_ns()) return;
    ereport(
        WARNING,
        (errmsg("the restored horizon is ahead of the clock: it is at %s", snowid::pg::shown_time(end)),
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
    values[1] = Int64GetDatum(snowid::core::History::unknown().word);
    values[2] = UInt64GetDatum(row_in(trigger.tg_trigtuple).used_up().with_few_toggles().toggles);
    return heap_modify_tuple_by_cols(trigger.tg_trigtuple, RelationGetDescr(trigger.tg_relation), std::size(columns),
                                     columns, values, nulls);
}

// The layout that a restore has brought may be the older one, and so that of this database.
void take_in_layout(Relation table) {
    await_start();
    const snowid::core::Layout before = recorded_layout_or(settings.layout);
    CacheInvalidateRelcache(table);
    CommandCounterIncrement();  // to see the layout
    begin_by_layout({0});
    if (recorded_layout() == before) return;
    add_pending_change(PendingChange::free_at_commit, {MyDatabaseId, extension_tables().generator, 0});
}

// A row that was lost may have covered any given times.
void advance_named(const GeneratorRecord &record, UnixNanos t) {
    const UsedUp state = UsedUp::all_before(t);
    HorizonRow row{.generator = record.id};
    if (!read_horizon(record.id, row)) {
        if (record.backfill) row.timeline = snowid::core::History::unknown().word;
        row.set(state);
        add_horizon_row(row);
    } else if (record.has_name()) {
        if (!record.backfill) raise_floor(record.id, state);
        skip_past(record, state);
    }
}

void advance_default(Scheme scheme, UnixNanos t) {
    const UsedUp state = UsedUp::all_before(t);
    GeneratorHorizon horizon = default_horizon(scheme);
    skip_past(horizon, state);
    change_floor_and_flush(scheme, [&state](Floor &floor) { floor.own = merged(floor.own, state); });
    HorizonRow row{.generator = horizon.generator};
    if (read_horizon(horizon.generator, row)) return cover_horizon(horizon, state);
    row.set(merged(scheme_row(scheme).used_by(*horizon.slot), state));
    add_horizon_row(row);
}

// The wrong clock that was believed has carried the named generators along too.
void rewind_named(const GeneratorRecord &record, UnixNanos t) {
    if (!record.has_name() || record.backfill) return;
    lower_horizon(record.id, t);
    const SlotInfo info = record.info();
    change_slot(record.key(), [&](Slot &slot) { rewind_number(slot, info, t); });
}

UnixNanos horizon_argument(FunctionCallInfo fcinfo) {
    snowid::pg::require_argument(fcinfo, 0, "the time of the horizon");
    const TimestampTz time = PG_GETARG_TIMESTAMPTZ(0);
    const snowid::core::Layout &layout = settings.layout;
    const UnixMicros t = snowid::pg::to_unix(time), last = layout.last_generated_time();
    const UnixMicros latest = std::min(last, snowid::core::kLastInNanos);
    if (t < layout.epoch || t > latest)
        snowid::pg::raise_time_out_of_range("snowid_horizon", time, layout.epoch, latest);
    return to_nanos(t);
}

// No id is made until the clock gets there.
void require_near_clock(FunctionCallInfo fcinfo, UnixNanos t) {
    const std::int64_t ahead = t.value - snowid::pg::wall_clock().value;
    if (ahead <= settings.clock_jump_ns() || (!PG_ARGISNULL(1) && PG_GETARG_BOOL(1))) return;
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("the horizon would be %s ahead of the clock", snowid::pg::shown_duration(ahead)),
                    errdetail("No id would be made until the clock has come that far. A time that is more than "
                              "snowid.clock_jump ahead (%s) is most likely an error.",
                              snowid::pg::shown_duration(settings.clock_jump_ns())),
                    errhint("If the clock is behind, correct it first. If ids must wait for so long, call the function "
                            "with force => true.")));
}

// A generator of an extension that was dropped, with another layout, can have made ids with the server's number. Until
// the drop is committed, other sessions make more of them, below its row.
void begin_above_dropped(Scheme scheme) {
    lock_slots(true);
    UnixNanos free = first_free_time(server_info(scheme, server_number(scheme)), true);
    unlock_slots();
    if (claims_end_at_commit({MyDatabaseId, InvalidOid, 0})) free = std::max(free, read_floor(scheme).named);
    const GeneratorHorizon horizon = default_horizon(scheme);
    raise_floor(horizon.generator, UsedUp::all_before(free));
    skip_past(horizon, UsedUp::all_before(free));
}

void remember_advance(UnixNanos t) {
    if (latest_time() < t) advance_to(shared->advanced_to_ns, t.value);
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
    Datum values[] = {Int64GetDatum(state.horizon.value), Int64GetDatum(state.safe), UInt64GetDatum(state.toggles)};
    return snowid::pg::row_datum(fcinfo, values);
}

// For snowid_check(): whether this server's data are a copy of another server's, which may still be running.
SNOWID_FUNCTION(snowid_is_copy) {
    if (shared == nullptr && can_share()) attach_shared();
    PG_RETURN_BOOL(shared != nullptr && shared->original.load() != 0);
}

SNOWID_FUNCTION(snowid_horizon_advance) {
    snowid::pg::require_writable(fcinfo);
    await_start();
    const UnixNanos t = horizon_argument(fcinfo);
    require_near_clock(fcinfo, t);
    remember_advance(t);
    for (const Scheme scheme : kSchemes) advance_default(scheme, t);
    each_record([&](const GeneratorRecord &record, HeapTuple) { advance_named(record, t); });
    // A superuser who moves the horizon of a copy knows that it is a copy. From now on its ids are this server's.
    if (shared->original.exchange(0) != 0) stamp_floors();
    // Also after a ROLLBACK, because rows that were added are gone then.
    Relation table = open_extension_table(&ExtensionTables::horizon, RowExclusiveLock);
    CacheInvalidateRelcache(table);
    table_close(table, NoLock);
    forget_all();
    PG_RETURN_VOID();
}

// The way back after the server believed a leap of the clock. It gives up the promise for the time in between.
SNOWID_FUNCTION(snowid_horizon_rewind) {
    snowid::pg::require_writable(fcinfo);
    await_start();
    const UnixNanos t = horizon_argument(fcinfo);
    const UnixNanos before{shared->default_slot(Scheme::snowflake).highest_horizon_ns.load()};
    for (const Scheme scheme : kSchemes) {
        lower_horizon(scheme_row(scheme).default_generator, t);
        lock_slots(true);
        rewind_number(shared->default_slot(scheme), server_info(scheme, server_number(scheme)), t);
        forget_past_numbers(scheme, t);
        unlock_slots();
        change_floor_and_flush(scheme, [t](Floor &floor) { floor.rewind(t); });
    }
    each_record([&](const GeneratorRecord &record, HeapTuple) { rewind_named(record, t); });
    shared->advanced_to_ns.store(0);
    ereport(
        WARNING,
        (errmsg("ids from here to %s may be made a second time", snowid::pg::shown_time(before)),
         errhint(
             "That is safe only with a worker id that has made none of them, so change snowid.worker_id first. Every "
             "other database of this server keeps its own horizon and needs the same call.")));
    PG_RETURN_VOID();
}
