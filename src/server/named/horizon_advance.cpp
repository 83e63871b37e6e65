// The ways for a superuser to move the horizons of a database, and to accept the clock.
#include "pg/error.hpp"
#include "pg/time.hpp"
#include "pg/type/arguments.hpp"
#include "server/durable/await_start.hpp"
#include "server/durable/floor.hpp"
#include "server/durable/horizon.hpp"
#include "server/durable/tables.hpp"
#include "server/named/changes.hpp"
#include "server/number/server_number.hpp"
#include "server/number/slots.hpp"
#include "server/shared/clock_guard.hpp"
#include "server/shared/settings.hpp"
#include "server/shared/shared.hpp"

extern "C" {
#include "access/table.h"
#include "utils/inval.h"
#include "utils/timestamp.h"
}

using namespace snowid::core;
using namespace snowid::pg;
using namespace snowid::server;

namespace {

// A row that was lost may have covered any given times.
void advance_named(const GeneratorRecord &record, UnixNanos t) {
    const UsedUp state = UsedUp::all_before(t);
    HorizonRow row{.generator = record.id};
    if (!read_horizon(record.id, row)) {
        if (record.backfill) row.timeline = History::unknown().word;
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
    LockedFloor locked(scheme);
    locked.floor.own = merged(locked.floor.own, state);
    locked.write_and_flush();
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
    require_argument(fcinfo, 0, "the time of the horizon");
    const TimestampTz time = PG_GETARG_TIMESTAMPTZ(0);
    const Layout &layout = settings.layout;
    const UnixMicros t = to_unix(time), last = layout.last_generated_time();
    const UnixMicros latest = std::min(last, kLastInNanos);
    if (t < layout.epoch || t > latest) raise_time_out_of_range("snowid_horizon", time, layout.epoch, latest);
    return to_nanos(t);
}

// No id is made until the clock gets there.
void require_near_clock(UnixNanos t, const char *hint) {
    const std::int64_t ahead = t.value - wall_clock().value;
    if (ahead <= std::max(settings.clock_jump_ns(), settings.clock_drift_ns())) return;
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("the horizon would be %s ahead of the clock", shown_duration(ahead)),
                    errdetail("No id would be made until the clock has come that far. A time that is more than "
                              "snowid.clock_jump ahead (%s) is most likely an error.",
                              shown_duration(settings.clock_jump_ns())),
                    errhint("%s", hint)));
}

void remember_advance(UnixNanos t) {
    if (latest_time() < t) advance_to(shared->advanced_to_ns, t.value);
}

}  // namespace

SNOWID_FUNCTION(snowid_horizon_advance) {
    require_writable(fcinfo);
    await_start();
    const UnixNanos t = horizon_argument(fcinfo);
    if (PG_ARGISNULL(1) || !PG_GETARG_BOOL(1))
        require_near_clock(t,
                           "If the clock is behind, correct it first. If ids must wait for so long, call the function "
                           "with force => true.");
    remember_advance(t);
    for (const Scheme scheme : kSchemes) advance_default(scheme, t);
    each_record([&](const GeneratorRecord &record, HeapTuple) { advance_named(record, t); });
    // A superuser who moves the horizon of a copy knows that it is a copy. From now on its ids are this server's.
    if (shared->original.exchange(0) != 0) stamp_floors();
    // Also after a ROLLBACK, because rows that were added are gone then.
    Relation table = open_extension_table(&ExtensionTables::horizon, RowExclusiveLock);
    CacheInvalidateRelcache(table);
    table_close(table, NoLock);
    note_change();
    PG_RETURN_VOID();
}

// The way back after the server believed a leap of the clock. It gives up the promise for the time in between.
SNOWID_FUNCTION(snowid_horizon_rewind) {
    require_writable(fcinfo);
    await_start();
    const UnixNanos t = horizon_argument(fcinfo);
    require_near_clock(t, "If the clock is behind, correct it first.");
    const UnixNanos before{shared->default_slot(Scheme::snowflake).highest_horizon_ns.load()};
    for (const Scheme scheme : kSchemes) {
        lower_horizon(scheme_row(scheme).default_generator, t);
        lock_slots(LW_EXCLUSIVE);
        rewind_number(shared->default_slot(scheme), server_info(scheme, server_number(scheme)), t);
        forget_past_numbers(scheme, t);
        unlock_slots();
        LockedFloor locked(scheme);
        locked.floor.rewind(t);
        locked.write_and_flush();
    }
    each_record([&](const GeneratorRecord &record, HeapTuple) { rewind_named(record, t); });
    shared->advanced_to_ns.store(0);
    if (before <= t) PG_RETURN_VOID();
    ereport(
        WARNING,
        (errmsg("ids from here to %s may be made a second time", shown_time(before)),
         errhint(
             "That is safe only with a worker id that has made none of them, so change snowid.worker_id first. Every "
             "other database of this server keeps its own horizon and needs the same call.")));
    PG_RETURN_VOID();
}

SNOWID_FUNCTION(snowid_clock_accept) {
    await_start();
    shared->clock.set(clock_offset_ns());
    remember_clock();
    ereport(LOG, (errmsg("snowid: the clock is accepted as it is now, %s", timestamptz_to_str(GetCurrentTimestamp()))));
    PG_RETURN_VOID();
}
