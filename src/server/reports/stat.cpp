// The view snowid_stat: what the server shows about its generators.
#include <algorithm>

#include "core/clock/sno_units.hpp"
#include "pg/clock.hpp"
#include "pg/compat.hpp"
#include "pg/error.hpp"
#include "pg/function.hpp"
#include "pg/time.hpp"
#include "server/horizon/page.hpp"
#include "server/memory/shared.hpp"
#include "server/number/server_number.hpp"
#include "server/record/generator_record.hpp"
#include "server/reports/interval.hpp"
#include "server/session/generators.hpp"
#include "server/tables/tables.hpp"
#include "server/waiting/await_start.hpp"

extern "C" {
#include "access/table.h"
#include "catalog/pg_type_d.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/timestamp.h"
}

using namespace snowid::server;

namespace {

Datum time_of_ns(std::int64_t ns) {
    return TimestampTzGetDatum(snowid::pg::to_timestamptz(snowid::core::to_micros({ns})));
}

// A copy of what is known about a slot, made under the lock.
struct SlotView {
    const Slot *slot;
    SlotKey key;
    SlotInfo info;
};

struct SlotViews {
    int count;
    const SlotView **by_number;  // those with the server's layout by scheme and number, then all others
    int of_server;               // how many have the server's layout
    HTAB *horizons;              // of this database
    SlotView views[];
};

// A generator that follows the server may have been looked up when the server had another number.
SlotInfo current(SlotInfo info) {
    if (info.follows_server) info.number = server_number(info.scheme);
    return info;
}

SlotViews *view_slots() {
    const auto count = static_cast<Size>(shared->slot_count) + std::size(kSchemes);
    auto *all = static_cast<SlotViews *>(palloc0(offsetof(SlotViews, views) + sizeof(SlotView) * count));
    for (const Scheme scheme : kSchemes)
        all->views[all->count++] = {&shared->default_slot(scheme),
                                    {InvalidOid, InvalidOid, scheme_row(scheme).default_generator},
                                    server_info(scheme, server_number(scheme))};
    lock_slots(false);
    for_each_slot([all](const Slot &slot) { all->views[all->count++] = {&slot, slot.key, current(slot.info)}; });
    unlock_slots();
    return all;
}

// Whether the two could make the same ids.
bool could_meet(const SlotView &a, const SlotView &b) {
    return a.slot != b.slot && a.info.scheme == b.info.scheme && could_meet(a.info, b.info);
}

// Two generators with the server's layout can make the same ids only if they have the same number.
bool has_layout_of_server(const SlotView &view) {
    return !scheme_row(view.info.scheme).has_layout || view.info.layout == shared->layout;
}

bool is_before(const SlotView *a, const SlotView *b) {
    return a->info.scheme != b->info.scheme ? a->info.scheme < b->info.scheme : a->info.number < b->info.number;
}

void sort_by_number(SlotViews &all) {
    all.by_number = static_cast<const SlotView **>(palloc(sizeof(void *) * static_cast<Size>(all.count)));
    const SlotView **end = all.by_number + all.count, **last = all.by_number;
    for (const SlotView *view = all.views; view != all.views + all.count; ++view)
        *(has_layout_of_server(*view) ? last++ : --end) = view;
    all.of_server = static_cast<int>(last - all.by_number);
    std::sort(all.by_number, last, is_before);
}

// Calls `see` with every view that could make the same ids as this one, and perhaps with others.
template <typename See>
void each_near(const SlotViews &all, const SlotView &view, See see) {
    const SlotView *const *begin = all.by_number, *const *others = begin + all.of_server;
    const SlotView *const *end = begin + all.count;
    if (has_layout_of_server(view)) {
        const auto [first, last] = std::equal_range(begin, others, &view, is_before);
        std::for_each(first, last, see);
        begin = others;
    }
    std::for_each(begin, end, see);
}

struct Horizon {
    std::int64_t generator;
    std::int64_t ns;
};

// What is durable in this database.
HTAB *read_horizons() {
    HASHCTL control{};
    control.keysize = sizeof(std::int64_t);
    control.entrysize = sizeof(Horizon);
    control.hcxt = CurrentMemoryContext;
    HTAB *horizons = hash_create("horizons", 256, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
    const Oid oid = extension_table_if_any("snowid_horizon");
    if (!OidIsValid(oid)) return horizons;
    Relation table = table_open(oid, AccessShareLock);
    see_all_horizon_rows(table, [horizons](const HorizonRow &row) {
        bool found = false;
        auto *horizon = static_cast<Horizon *>(hash_search(horizons, &row.generator, HASH_ENTER, &found));
        horizon->ns = found ? std::max(horizon->ns, row.horizon_ns) : row.horizon_ns;
    });
    table_close(table, AccessShareLock);
    return horizons;
}

const char *database_of(const SlotView &view) {
    const char *name = OidIsValid(view.key.database) ? get_database_name(view.key.database) : nullptr;
    return name == nullptr ? "" : name;
}

// The names of the generators that could make the same ids. The name of a generator in another database is preceded by
// that database's name.
Datum overlaps_of(const SlotViews &all, const SlotView &view) {
    Datum *names = static_cast<Datum *>(palloc(sizeof(Datum) * static_cast<Size>(all.count)));
    int count = 0;
    each_near(all, view, [&](const SlotView *other) {
        if (!could_meet(view, *other)) return;
        const bool elsewhere = OidIsValid(other->key.database) && other->key.database != view.key.database;
        names[count++] = CStringGetTextDatum(elsewhere ? psprintf("%s.%s", database_of(*other), other->info.name)
                                                       : other->info.name);
    });
    return PointerGetDatum(construct_array(names, count, TEXTOID, -1, false, TYPALIGN_INT));
}

// For a generator of another database: what this server has made durable there.
bool horizon_of(const SlotViews &all, const SlotView &view, std::int64_t &horizon_ns) {
    if (OidIsValid(view.key.database) && view.key.database != MyDatabaseId) {
        horizon_ns = view.slot->highest_horizon_ns.load();
        return true;
    }
    const auto *horizon =
        static_cast<const Horizon *>(hash_search(all.horizons, &view.key.generator, HASH_FIND, nullptr));
    horizon_ns = horizon == nullptr ? 0 : horizon->ns;
    return horizon != nullptr;
}

Datum stat_row(TupleDesc row, const SlotViews &all, const SlotView &view) {
    const SchemeRow &scheme = scheme_row(view.info.scheme);
    const Counters &counters = view.slot->counters;
    const SchemeSpan span = scheme.span(*view.slot, view.info);
    const std::int64_t ahead_ns = std::max<std::int64_t>(span.last.value - snowid::pg::wall_clock().value, 0);
    std::int64_t horizon_ns = 0;
    const bool has_horizon = horizon_of(all, view, horizon_ns);
    Datum values[] = {
        CStringGetTextDatum(view.info.name),
        CStringGetTextDatum(scheme.name),
        scheme.has_layout ? CStringGetTextDatum(snowid::pg::layout_text(view.info.layout)) : Datum{0},
        UInt32GetDatum(view.info.number),
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
        TimestampTzGetDatum(snowid::pg::to_timestamptz(span.ends_at)),
        TimestampTzGetDatum(counters.reset_at.load()),
        CStringGetTextDatum(database_of(view)),
        overlaps_of(all, view),
    };
    bool nulls[std::size(values)] = {};
    nulls[2] = !scheme.has_layout;
    nulls[12] = span.last.value <= snowid::core::SnoUnits::kEpochNs;
    nulls[13] = !has_horizon;
    nulls[17] = !OidIsValid(view.key.database);
    return HeapTupleGetDatum(heap_form_tuple(row, values, nulls));
}

}  // namespace

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
            sort_by_number(*all);
            all->horizons = read_horizons();
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
    for (const Scheme scheme : kSchemes) reset_counters(shared->default_slot(scheme).counters);
    lock_slots(true);
    for_each_slot([](Slot &slot) { reset_counters(slot.counters); });
    shared->tenure.report.twice = 0;
    unlock_slots();
    shared->clock_counters.regressions.store(0);
    shared->clock_counters.max_regression_ns.store(0);
    PG_RETURN_VOID();
}
