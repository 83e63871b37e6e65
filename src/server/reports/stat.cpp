// The view snowid_stat: what the server shows about its generators.
#include "core/clock/sno_units.hpp"
#include "pg/compat.hpp"
#include "pg/error.hpp"
#include "pg/time.hpp"
#include "pg/type/arguments.hpp"
#include "server/durable/await_start.hpp"
#include "server/durable/horizon_page.hpp"
#include "server/durable/tables.hpp"
#include "server/generator/generators.hpp"
#include "server/named/generator_record.hpp"
#include "server/number/server_number.hpp"
#include "server/shared/owner.hpp"
#include "server/shared/shared.hpp"

extern "C" {
#include "access/table.h"
#include "catalog/pg_type_d.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/timestamp.h"
}

using namespace snowid::core;
using namespace snowid::pg;
using namespace snowid::server;

namespace {

Datum time_of_ns(std::int64_t ns) { return TimestampTzGetDatum(to_timestamptz(to_micros({ns}))); }

// What decides with which other generators one could make the same ids. Sorted by this, generators that make ids of the
// same times are together, among them those whose sequences lie in the same bits, and among those the ones with the
// same number. Sequences in the same bits meet only there.
using ClaimOrder = std::array<std::uint64_t, 8>;
constexpr int kTime = 4, kBits = 5, kNumber = 6;  // how much of it they then have in common

ClaimOrder order_of(const SlotInfo &info) {
    const Claim claim = claim_of(info);
    const Field &time = info.layout.time();
    return {static_cast<std::uint64_t>(info.scheme),
            static_cast<std::uint64_t>(info.layout.epoch.value),
            static_cast<std::uint64_t>(info.layout.tick_us),
            static_cast<std::uint64_t>(time.shift << 8 | time.bits),
            static_cast<std::uint64_t>(claim.shift << 8 | claim.bits),
            claim.fixed,
            claim.sequences.min,
            claim.sequences.max};
}

struct Claimants;

// A copy of what is known about a slot, made under the lock.
struct SlotView {
    const Slot *slot;
    SlotKey key;
    SlotInfo info;
    ClaimOrder order;
    const Claimants *claimants;  // it is one of these
};

// Generators with one claim, and the first of those that could make the same ids, which they are themselves.
struct Claimants {
    static constexpr int kShown = 3;

    SlotView *const *first;
    SlotView *const *last;
    int count;  // of all that could make the same ids
    const SlotView *shown[kShown + 1];

    const SlotView &any() const { return **first; }
    void add(const Claimants &others) {
        for (SlotView *const *other = others.first; other != others.last; ++other, ++count)
            if (count <= kShown) shown[count] = *other;
    }
};

// All slots in use, as they were at one moment.
struct SlotViews {
    int count;
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
                                    server_info(scheme, server_number(scheme)),
                                    {},
                                    nullptr};
    lock_slots(LW_SHARED);
    for_each_slot([all](const Slot &slot) {
        all->views[all->count++] = {&slot, slot.key, current(slot.info), {}, nullptr};
    });
    unlock_slots();
    for (SlotView *view = all->views; view != all->views + all->count; ++view) view->order = order_of(view->info);
    return all;
}

template <int Common>
bool is_before(const Claimants &a, const Claimants &b) {
    const ClaimOrder &left = a.any().order, &right = b.any().order;
    return std::lexicographical_compare(left.begin(), left.begin() + Common, right.begin(), right.begin() + Common);
}

// Calls `see` with all that could make the same ids as these, and perhaps with others.
template <typename See>
void each_near(std::span<Claimants> sorted, const Claimants &these, See see) {
    const auto range = [&](auto is_before) { return std::equal_range(sorted.begin(), sorted.end(), these, is_before); };
    const auto [first, last] = range(is_before<kTime>);
    const auto [first_of_bits, last_of_bits] = range(is_before<kBits>);
    const auto [first_of_number, last_of_number] = range(is_before<kNumber>);
    std::for_each(first, first_of_bits, see);
    std::for_each(first_of_number, last_of_number, see);
    std::for_each(last_of_bits, last, see);
}

std::span<Claimants> claimants_of(SlotView **views, SlotView *const *end) {
    auto *all = static_cast<Claimants *>(palloc0(sizeof(Claimants) * static_cast<Size>(end - views)));
    std::size_t count = 0;
    for (SlotView **view = views; view != end; ++view) {
        const bool begins = view == views || (*view)->order != view[-1]->order ||
                            !(*view)->info.layout.same_time_as(view[-1]->info.layout);
        if (begins) all[count++].first = view;
        all[count - 1].last = view + 1;
        (*view)->claimants = &all[count - 1];
    }
    return {all, count};
}

// Generators with one claim meet the same others, so it is asked once for all of them.
void find_overlaps(SlotViews &all) {
    auto **views = static_cast<SlotView **>(palloc(sizeof(void *) * static_cast<Size>(all.count)));
    for (int i = 0; i < all.count; ++i) views[i] = &all.views[i];
    std::sort(views, views + all.count,
              [](const SlotView *a, const SlotView *b) { return a->order != b->order ? a->order < b->order : a < b; });
    const std::span<Claimants> sorted = claimants_of(views, views + all.count);
    for (Claimants &these : sorted)
        each_near(sorted, these, [&these](const Claimants &others) {
            if (could_meet(these.any().info, others.any().info)) these.add(others);
        });
}

// A generator of this database, and how far its row is.
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
    const Oid oid = extension_table_if_any("horizon");
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

// The first names of the generators that could make the same ids. The name of a generator in another database is
// preceded by that database's name.
Datum overlaps_of(const SlotView &view) {
    Datum names[Claimants::kShown];
    int count = 0;
    for (const SlotView *other : view.claimants->shown) {
        if (other == nullptr || other == &view || count == Claimants::kShown) continue;
        const bool elsewhere = OidIsValid(other->key.database) && other->key.database != view.key.database;
        names[count++] = CStringGetTextDatum(elsewhere ? psprintf("%s.%s", database_of(*other), other->info.name)
                                                       : other->info.name);
    }
    return PointerGetDatum(construct_array(names, count, TEXTOID, -1, false, TYPALIGN_INT));
}

// For a generator of another database: what this server has made durable there.
bool horizon_of(HTAB *horizons, const SlotView &view, std::int64_t &horizon_ns) {
    if (OidIsValid(view.key.database) && view.key.database != MyDatabaseId) {
        horizon_ns = view.slot->highest_horizon_ns.load();
        return true;
    }
    const auto *horizon = static_cast<const Horizon *>(hash_search(horizons, &view.key.generator, HASH_FIND, nullptr));
    horizon_ns = horizon == nullptr ? 0 : horizon->ns;
    return horizon != nullptr;
}

void put_row(const Rows &rows, HTAB *horizons, const SlotView &view) {
    const SchemeRow &scheme = scheme_row(view.info.scheme);
    const Counters &counters = view.slot->counters;
    const SchemeSpan span = scheme.span(*view.slot, view.info);
    const std::int64_t ahead_ns = std::max<std::int64_t>(span.last.value - wall_clock().value, 0);
    std::int64_t horizon_ns = 0;
    const bool has_horizon = horizon_of(horizons, view, horizon_ns);
    rows.add({
        CStringGetTextDatum(view.info.name),
        CStringGetTextDatum(scheme.name),
        {scheme.has_layout ? CStringGetTextDatum(layout_text(view.info.layout)) : Datum{0}, !scheme.has_layout},
        UInt32GetDatum(view.info.number),
        Int64GetDatum(counters.issued.load()),
        Int64GetDatum(counters.skipped.load()),
        Int64GetDatum(counters.waits.load()),
        interval_of_ns(counters.wait_ns.load()),
        Int64GetDatum(counters.overflows.load()),
        Int64GetDatum(shared->clock_counters.regressions.load()),
        interval_of_ns(shared->clock_counters.max_regression_ns.load()),
        Int64GetDatum(counters.refusals.load()),
        interval_of_ns(ahead_ns),
        {time_of_ns(span.last.value), span.last.value <= SnoUnits::kEpochNs},
        {time_of_ns(horizon_ns), !has_horizon},
        Int64GetDatum(counters.horizon_advances.load()),
        TimestampTzGetDatum(to_timestamptz(span.ends_at)),
        TimestampTzGetDatum(counters.reset_at.load()),
        {CStringGetTextDatum(database_of(view)), !OidIsValid(view.key.database)},
        overlaps_of(view),
        Int32GetDatum(view.claimants->count - 1),
    });
}

}  // namespace

SNOWID_FUNCTION(snowid_stat) {
    require_monitor("snowid_stat");
    const Rows rows(fcinfo);
    if (shared == nullptr && can_share()) attach_shared();
    if (shared == nullptr) return Datum{0};
    count_all_issued();
    SlotViews *all = view_slots();
    find_overlaps(*all);
    HTAB *horizons = read_horizons();
    for (int i = 0; i < all->count; ++i) put_row(rows, horizons, all->views[i]);
    pfree(all);  // it has room for every slot
    return Datum{0};
}

SNOWID_FUNCTION(snowid_stat_reset) {
    await_start();
    count_all_issued();
    for (const Scheme scheme : kSchemes) reset_counters(shared->default_slot(scheme).counters);
    lock_slots(LW_EXCLUSIVE);
    for_each_slot([](Slot &slot) { reset_counters(slot.counters); });
    shared->tenure.report.twice = 0;
    unlock_slots();
    shared->clock_counters.regressions.store(0);
    shared->clock_counters.max_regression_ns.store(0);
    PG_RETURN_VOID();
}
