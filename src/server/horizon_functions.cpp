// What SQL can do with the horizon: the triggers of its table, and the ways in which a superuser moves it.
#include "pg/arguments.hpp"
#include "pg/clock.hpp"
#include "pg/error.hpp"
#include "pg/time.hpp"
#include "server/attached_generator.hpp"
#include "server/extension.hpp"
#include "server/generator_changes.hpp"
#include "server/horizon.hpp"
#include "server/settings.hpp"
#include "server/shmem.hpp"
#include "server/sno_horizon.hpp"
#include "server/start.hpp"
#include "server/trigger.hpp"
#include "server/wait.hpp"

extern "C" {
#include "access/heapam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "miscadmin.h"
#include "utils/inval.h"
#include "utils/rel.h"
#include "utils/timestamp.h"
}

using namespace snowid::server;
using snowid::core::SnoUnits;
using snowid::core::UnixMicros;
using snowid::core::UnixNanos;
using snowid::core::UsedUp;

namespace {

// Otherwise every caller on the server would have to wait.
void await_clock(UnixNanos end) {
    for (UnixNanos now = snowid::pg::wall_clock(); now < end; now = snowid::pg::wall_clock()) {
        if (end.value > now.value + reserve_ns())
            ereport(ERROR,
                    (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                     errmsg("only a superuser can take in a horizon that is ahead of the clock"),
                     errdetail("It is of %s.", timestamptz_to_str(snowid::pg::to_timestamptz({end.value / 1000})))));
        sleep_slice(end.value - now.value);
    }
}

void warn_of_future(UnixNanos end) {
    if (end.value <= snowid::pg::wall_clock().value + reserve_ns()) return;
    ereport(WARNING,
            (errmsg("the horizon that is taken in is ahead of the clock: it is of %s",
                    timestamptz_to_str(snowid::pg::to_timestamptz({end.value / 1000}))),
             errdetail("Until the clock has come there, no database of this server gets ids of that kind."),
             errhint("If the dump is of a server whose clock was wrong, drop this database and restart the server.")));
}

// A row that SQL adds comes from another server, or from this one's past: from a dump. One of a server whose clock is
// right is ahead by what that had reserved.
void take_in_row(const TriggerData &trigger) {
    const auto *row = reinterpret_cast<const HorizonRow *>(GETSTRUCT(trigger.tg_trigtuple));
    if (!row->used_up().is_sound())
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("this is no state of a generator")));
    if (!superuser()) await_clock(end_of(row->used_up()));
    if (!can_share()) return;
    await_start();
    for (const Scheme scheme : {Scheme::snowflake, Scheme::sno}) {
        if (row->generator != default_generator(scheme)) continue;
        warn_of_future(end_of(row->used_up()));
        go_on_above(default_horizon_holder(scheme), row->used_up());
    }
}

// What covers all that this server's own generator has reserved in any database.
UsedUp reserved(Scheme scheme) {
    const UnixNanos highest{shared->default_slot(scheme).highest_horizon_ns.load()};
    if (scheme == Scheme::snowflake) return {highest, 0, 0};
    const UsedUp used = shared->sno_slot.snos.used_up();
    return {std::max(used.horizon, highest), used.safe, used.toggles};
}

// One that is driven by given times is left as it is, unless nothing is known of it any more.
void advance_named(const GeneratorRecord &record, UnixNanos t) {
    const UsedUp state = all_before(record.scheme, t);
    HorizonRow row{.generator = record.id};
    if (!read_horizon(record.id, row)) {
        row.set(state);
        add_horizon(row);
    } else if (record.name[0] != '\0' && !record.backfill) {
        go_on_above(record, state);
    }
}

void advance_default(Scheme scheme, UnixNanos t) {
    const UsedUp state = all_before(scheme, t);
    HorizonHolder holder = default_horizon_holder(scheme);
    go_on_above(holder, state);
    HorizonRow row{.generator = holder.generator};
    if (read_horizon(holder.generator, row)) return cover_horizon(holder, state);
    row.set(merged(reserved(scheme), state));
    add_horizon(row);
}

void rewind_slot(Slot &slot, const SlotInfo &info, UnixNanos t) {
    lock_slots(true);
    if (info.scheme == Scheme::sno) {
        const UsedUp before = slot.snos.stop(), end = all_before(Scheme::sno, t);
        slot.version.fetch_add(1);
        slot.snos.resume({std::min(before.horizon, end.horizon), std::min(before.safe, end.safe), before.toggles});
    } else {
        slot.timeline.rewind_to(snowid::core::start_after(snowid::core::Ticks(info.layout), t));
    }
    slot.highest_horizon_ns.store(t.value);
    unlock_slots();
}

// The clock that was wrongly believed has driven the named generators as well.
void rewind_named(const GeneratorRecord &record, UnixNanos t) {
    if (record.name[0] == '\0' || record.backfill) return;
    lower_horizon(record.id, t);
    if (Slot *slot = find_slot(record.key())) rewind_slot(*slot, record.info(), t);
}

UnixNanos horizon_argument(FunctionCallInfo fcinfo) {
    const TimestampTz time = PG_GETARG_TIMESTAMPTZ(0);
    const snowid::core::Layout &layout = settings.layout;
    const UnixMicros t = snowid::pg::to_unix(time), last = layout.last_generated_time();
    constexpr UnixMicros kLastNanos{INT64_MAX / 1000};
    if (t < layout.epoch || t > last || t > kLastNanos)
        snowid::pg::raise_time_out_of_range("snowid_horizon", time, layout.epoch, std::min(last, kLastNanos));
    return {t.value * 1000};
}

}  // namespace

SNOWID_FUNCTION(snowid_record_changed) {
    CacheInvalidateRelcache(own_trigger(fcinfo, "snowid_record_changed", TriggerLevel::statement, nullptr).tg_relation);
    return Datum{0};
}

SNOWID_FUNCTION(snowid_horizon_added) {
    take_in_row(own_trigger(fcinfo, "snowid_horizon_added", TriggerLevel::row, "snowid_horizon"));
    return Datum{0};
}

// Where the row of a database starts that has none yet: above all that this server has reserved.
SNOWID_FUNCTION(snowid_horizon_of_server) {
    UsedUp state{{0}, 0, 0};
    if (can_share()) {
        await_start();
        state = reserved(PG_GETARG_INT64(0) == kDefaultSnoGenerator ? Scheme::sno : Scheme::snowflake);
    }
    Datum values[] = {Int64GetDatum(state.horizon.value), Int64GetDatum(state.safe), UInt64GetDatum(state.toggles)};
    return snowid::pg::row_datum(fcinfo, values);
}

SNOWID_FUNCTION(snowid_horizon_advance) {
    snowid::pg::require_writable(fcinfo);
    await_start();
    const UnixNanos t = horizon_argument(fcinfo);
    for (const Scheme scheme : {Scheme::snowflake, Scheme::sno}) advance_default(scheme, t);
    each_record([&](const GeneratorRecord &record, HeapTuple) { advance_named(record, t); });
    forget_all();
    PG_RETURN_VOID();
}

// The way back after a leap of the clock that was believed. It gives up the promise for what lies between.
SNOWID_FUNCTION(snowid_horizon_rewind) {
    snowid::pg::require_writable(fcinfo);
    await_start();
    const UnixNanos t = horizon_argument(fcinfo);
    const std::int64_t before_ns = shared->slot.highest_horizon_ns.load();
    for (const Scheme scheme : {Scheme::snowflake, Scheme::sno}) {
        lower_horizon(default_generator(scheme), t);
        rewind_slot(shared->default_slot(scheme), default_info(scheme), t);
    }
    each_record([&](const GeneratorRecord &record, HeapTuple) { rewind_named(record, t); });
    ereport(
        WARNING,
        (errmsg("ids from here to %s may be made a second time",
                timestamptz_to_str(snowid::pg::to_timestamptz({before_ns / 1000}))),
         errhint("That is safe only for a worker id that has made none of them: change snowid.worker_id before. Every "
                 "other database of this server keeps its own horizon, and needs the same.")));
    PG_RETURN_VOID();
}
