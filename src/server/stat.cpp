#include "server/stat.hpp"

#include "core/clock/ticks.hpp"
#include "core/id/sno.hpp"
#include "pg/clock.hpp"
#include "pg/compat.hpp"
#include "pg/error.hpp"
#include "pg/function.hpp"
#include "pg/time.hpp"
#include "server/attached_generator.hpp"
#include "server/generator_record.hpp"
#include "server/horizon.hpp"
#include "server/settings.hpp"
#include "server/shmem.hpp"
#include "server/start.hpp"

extern "C" {
#include "catalog/pg_type_d.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"
}

namespace snowid::server {
namespace {

Datum interval_of_ns(std::int64_t ns) {
    auto *interval = static_cast<Interval *>(palloc0(sizeof(Interval)));
    interval->time = ns / 1000;
    return IntervalPGetDatum(interval);
}

Datum time_of_ns(std::int64_t ns) { return TimestampTzGetDatum(pg::to_timestamptz({ns / 1000})); }

// A copy of what is known of a slot, made under the lock.
struct SlotView {
    const Slot *slot;
    SlotKey key;
    SlotInfo info;
};

struct SlotViews {
    int count;
    SlotView views[];
};

SlotViews *view_slots() {
    auto *all = static_cast<SlotViews *>(
        palloc0(offsetof(SlotViews, views) + sizeof(SlotView) * static_cast<Size>(named_slot_count() + 2)));
    all->views[all->count++] = {
        &shared->slot, {InvalidOid, InvalidOid, kDefaultGenerator}, default_info(Scheme::snowflake)};
    all->views[all->count++] = {
        &shared->sno_slot, {InvalidOid, InvalidOid, kDefaultSnoGenerator}, default_info(Scheme::sno)};
    lock_slots(false);
    see_slots([all](const Slot &slot) { all->views[all->count++] = {&slot, slot.key, slot.info}; });
    unlock_slots();
    return all;
}

// As it is now: what follows the server may have been looked up when that had another.
SlotInfo current(const SlotView &view) {
    SlotInfo info = view.info;
    if (info.follows_server) info.origin = default_info(info.scheme).origin;
    return info;
}

// Whether the two could make the same ids: of one time, and of claims that overlap.
bool could_meet(const SlotView &a, const SlotView &b) {
    if (a.slot == b.slot || a.info.scheme != b.info.scheme) return false;
    const core::Layout &one = a.info.layout, &other = b.info.layout;
    const bool same_time = one.epoch == other.epoch && one.tick_us == other.tick_us && one.time() == other.time();
    return (a.info.scheme == Scheme::sno || same_time) && core::overlap(claim_of(current(a)), claim_of(current(b)));
}

const char *database_of(const SlotView &view) {
    const char *name = OidIsValid(view.key.database) ? get_database_name(view.key.database) : nullptr;
    return name == nullptr ? "" : name;
}

// Those that could make the same ids, by name; another database's with its name before it.
Datum overlaps_of(const SlotViews &all, const SlotView &view) {
    Datum *names = static_cast<Datum *>(palloc(sizeof(Datum) * static_cast<Size>(all.count)));
    int count = 0;
    for (int i = 0; i < all.count; ++i) {
        const SlotView &other = all.views[i];
        if (!could_meet(view, other)) continue;
        const bool elsewhere = OidIsValid(other.key.database) && other.key.database != view.key.database;
        names[count++] =
            CStringGetTextDatum(elsewhere ? psprintf("%s.%s", database_of(other), other.info.name) : other.info.name);
    }
    return PointerGetDatum(construct_array(names, count, TEXTOID, -1, false, TYPALIGN_INT));
}

// What is durable in this database; of another one, what this server has made durable there.
bool horizon_of(const SlotView &view, std::int64_t &horizon_ns) {
    if (OidIsValid(view.key.database) && view.key.database != MyDatabaseId) {
        horizon_ns = view.slot->highest_horizon_ns.load();
        return true;
    }
    HorizonRow row{};
    const bool found = read_horizon(view.key.generator, row);
    horizon_ns = row.horizon_ns;
    return found;
}

struct Span {
    core::UnixNanos last;      // time of the last id; 0: none yet
    core::UnixMicros ends_at;  // of the ids that it can make
};

Span span_of(const SlotView &view) {
    if (view.info.scheme == Scheme::sno) {
        const core::UsedUp used = view.slot->snos.used_up();
        return {core::SnoUnits::start(core::SnoUnits::at(used.horizon) - 1), core::Sno::last_time()};
    }
    const core::Ticks ticks(view.info.layout);
    const std::uint64_t last = view.slot->timeline.last();
    return {last == 0 ? core::UnixNanos{0} : ticks.start(ticks.tick_of(last)), view.info.layout.last_generated_time()};
}

Datum stat_row(TupleDesc row, const SlotViews &all, const SlotView &view) {
    const bool is_sno = view.info.scheme == Scheme::sno;
    const Counters &counters = view.slot->counters;
    const Span span = span_of(view);
    const std::int64_t ahead_ns = std::max<std::int64_t>(span.last.value - pg::wall_clock().value, 0);
    std::int64_t horizon_ns = 0;
    const bool has_horizon = horizon_of(view, horizon_ns);
    Datum values[] = {
        CStringGetTextDatum(view.info.name),
        CStringGetTextDatum(scheme_name(view.info.scheme)),
        is_sno ? Datum{0} : CStringGetTextDatum(pg::layout_text(view.info.layout)),
        UInt32GetDatum(current(view).origin),
        Int64GetDatum(counters.issued.load()),
        Int64GetDatum(counters.waits.load()),
        interval_of_ns(counters.wait_ns.load()),
        Int64GetDatum(counters.overflows.load()),
        Int64GetDatum(shared->clock_counters.regressions.load()),
        interval_of_ns(shared->clock_counters.max_regression_ns.load()),
        Int64GetDatum(counters.refusals.load()),
        interval_of_ns(ahead_ns),
        time_of_ns(span.last.value),
        time_of_ns(horizon_ns),
        Int64GetDatum(counters.horizon_advances.load()),
        TimestampTzGetDatum(pg::to_timestamptz(span.ends_at)),
        TimestampTzGetDatum(counters.reset_at.load()),
        CStringGetTextDatum(database_of(view)),
        overlaps_of(all, view),
    };
    bool nulls[std::size(values)] = {};
    nulls[2] = is_sno;
    nulls[12] = span.last.value <= core::SnoUnits::kEpochNs;
    nulls[13] = !has_horizon;
    nulls[17] = !OidIsValid(view.key.database);
    return HeapTupleGetDatum(heap_form_tuple(row, values, nulls));
}

}  // namespace

void reset_counters(Counters &counters) {
    for (auto *counter : {&counters.issued, &counters.waits, &counters.wait_ns, &counters.overflows, &counters.refusals,
                          &counters.horizon_advances})
        counter->store(0, std::memory_order_relaxed);
    counters.reset_at.store(GetCurrentTimestamp());
}

}  // namespace snowid::server

using namespace snowid::server;

SNOWID_FUNCTION(snowid_stat) {
    if (SRF_IS_FIRSTCALL()) {
        FuncCallContext *call = SRF_FIRSTCALL_INIT();
        MemoryContext caller = MemoryContextSwitchTo(call->multi_call_memory_ctx);
        if (get_call_result_type(fcinfo, nullptr, &call->tuple_desc) != TYPEFUNC_COMPOSITE)
            elog(ERROR, "snowid_stat returns no row");
        call->tuple_desc = BlessTupleDesc(call->tuple_desc);
        call->max_calls = 0;
        if (shared == nullptr && can_share()) attach_shared();
        if (shared != nullptr) {
            count_all_issued();
            auto *all = view_slots();
            call->user_fctx = all;
            call->max_calls = static_cast<uint64>(all->count);
        }
        MemoryContextSwitchTo(caller);
    }
    FuncCallContext *call = SRF_PERCALL_SETUP();
    if (call->call_cntr == call->max_calls) SRF_RETURN_DONE(call);
    const auto &all = *static_cast<SlotViews *>(call->user_fctx);
    const Datum row = stat_row(call->tuple_desc, all, all.views[call->call_cntr]);
    SRF_RETURN_NEXT(call, row);
}

SNOWID_FUNCTION(snowid_stat_reset) {
    await_start();
    count_all_issued();
    for (const Scheme scheme : {Scheme::snowflake, Scheme::sno}) reset_counters(shared->default_slot(scheme).counters);
    lock_slots(false);
    see_slots([](Slot &slot) { reset_counters(slot.counters); });
    unlock_slots();
    shared->clock_counters.regressions.store(0);
    shared->clock_counters.max_regression_ns.store(0);
    PG_RETURN_VOID();
}
