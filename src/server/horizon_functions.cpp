// What SQL can do with the horizon: the triggers of its table, and the ways in which a superuser moves it.
#include "core/gen/horizon.hpp"
#include "pg/error.hpp"
#include "pg/function.hpp"
#include "pg/time.hpp"
#include "server/extension.hpp"
#include "server/generator.hpp"
#include "server/generator_changes.hpp"
#include "server/horizon.hpp"
#include "server/settings.hpp"
#include "server/shmem.hpp"
#include "server/start.hpp"

extern "C" {
#include "access/heapam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "commands/trigger.h"
#include "miscadmin.h"
#include "utils/inval.h"
#include "utils/rel.h"
#include "utils/timestamp.h"
}

using namespace snowid::server;
using snowid::core::HorizonGoal;
using snowid::core::UnixMicros;
using snowid::core::UnixNanos;

namespace {

// A row that SQL adds comes from another server, or from this one's past: from a dump.
void take_in_row(const TriggerData &trigger) {
    const auto *row = reinterpret_cast<const HorizonRow *>(GETSTRUCT(trigger.tg_trigtuple));
    const std::int64_t now = snowid::pg::wall_clock().value;
    if (!superuser() && row->horizon_ns > now + settings.reserve_ms * std::int64_t{1'000'000})
        ereport(ERROR,
                (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                 errmsg("only a superuser can take in a horizon that is ahead of the clock"),
                 errdetail("It is of %s.", timestamptz_to_str(snowid::pg::to_timestamptz({row->horizon_ns / 1000})))));
    if (shared == nullptr || !IsUnderPostmaster) return;
    await_start();
    if (row->generator == kDefaultGenerator) start_from(default_horizon_holder(), row->horizon_ns);
}

// One that is driven by given times is left as it is, unless nothing is known of it any more.
void advance_named(const GeneratorRecord &record, UnixNanos t) {
    HorizonRow row{};
    if (!read_horizon(record.id, row))
        add_horizon({.generator = record.id, .horizon_ns = t.value});
    else if (record.name[0] != '\0' && !record.backfill)
        go_on_above(record, t.value);
}

// The clock that was wrongly believed has driven the named generators as well.
void rewind_named(const GeneratorRecord &record, UnixNanos t) {
    if (record.name[0] == '\0' || record.backfill) return;
    lower_horizon(record.id, t);
    Slot *slot = find_slot(record.key());
    if (slot == nullptr) return;
    slot->highest_horizon_ns.store(t.value);
    slot->timeline.rewind_to(snowid::core::start_after(snowid::core::Ticks(record.layout_in_force()), t));
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
    if (!CALLED_AS_TRIGGER(fcinfo))
        ereport(ERROR, errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
                errmsg("snowid_record_changed is a trigger function"));
    CacheInvalidateRelcache(reinterpret_cast<TriggerData *>(fcinfo->context)->tg_relation);
    return Datum{0};
}

SNOWID_FUNCTION(snowid_horizon_added) {
    if (!CALLED_AS_TRIGGER(fcinfo))
        ereport(ERROR, errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
                errmsg("snowid_horizon_added is a trigger function"));
    take_in_row(*reinterpret_cast<TriggerData *>(fcinfo->context));
    return Datum{0};
}

// Where the row of a database starts that has none yet: above all that this server has reserved.
SNOWID_FUNCTION(snowid_horizon_of_server) {
    if (shared == nullptr || !IsUnderPostmaster) PG_RETURN_INT64(0);
    await_start();
    PG_RETURN_INT64(shared->slot.highest_horizon_ns.load());
}

SNOWID_FUNCTION(snowid_horizon_advance) {
    await_start();
    const UnixNanos t = horizon_argument(fcinfo);
    HorizonRow row{};
    HorizonHolder holder = default_horizon_holder();
    if (std::int64_t horizon_ns = 0; read_horizon(kDefaultGenerator, row))
        raise_horizon(holder, HorizonGoal{t, t}, Patience::any, horizon_ns);
    else
        add_horizon({.horizon_ns = std::max(shared->slot.highest_horizon_ns.load(), t.value)});
    start_from(holder, t.value);
    each_record([&](const GeneratorRecord &record, HeapTuple) { advance_named(record, t); });
    settings_changed();
    PG_RETURN_VOID();
}

// The way back after a leap of the clock that was believed. It gives up the promise for what lies between.
SNOWID_FUNCTION(snowid_horizon_rewind) {
    await_start();
    const UnixNanos t = horizon_argument(fcinfo);
    const std::int64_t before_ns = shared->slot.highest_horizon_ns.load();
    lower_horizon(kDefaultGenerator, t);
    each_record([&](const GeneratorRecord &record, HeapTuple) { rewind_named(record, t); });
    shared->slot.highest_horizon_ns.store(t.value);
    shared->slot.timeline.rewind_to(snowid::core::start_after(snowid::core::Ticks(settings.layout), t));
    ereport(
        WARNING,
        (errmsg("ids from here to %s may be made a second time",
                timestamptz_to_str(snowid::pg::to_timestamptz({before_ns / 1000}))),
         errhint("That is safe only for a worker id that has made none of them: change snowid.worker_id before. Every "
                 "other database of this server keeps its own horizon, and needs the same.")));
    PG_RETURN_VOID();
}
