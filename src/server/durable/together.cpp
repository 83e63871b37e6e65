#include "server/durable/together.hpp"

#include "server/durable/horizon.hpp"
#include "server/durable/tables.hpp"
#include "server/shared/settings.hpp"
#include "server/shared/shared.hpp"

extern "C" {
#include "catalog/index.h"
#include "miscadmin.h"
}

namespace snowid::server {
namespace {

bool is_nearly_due(const Slot &slot, core::UnixNanos now) {
    return slot.highest_horizon_ns.load() < now.value + core::nearly_due_ns(settings.reserve_ns());
}

// Whether the generator has made an id since it was last due.
bool is_in_steady_use(const Slot &slot, core::UnixNanos now) {
    return scheme_row(slot.info.scheme).first_unused_time(slot, slot.info).value > now.value - settings.reserve_ns();
}

// To the target even if the horizon is high enough for now.
bool advance(const SharedRow &of, core::UnixNanos now, HorizonRow &row) {
    Slot &slot = *of.slot;
    if (!is_nearly_due(slot, now)) return false;
    const SchemeRow &scheme = scheme_row(slot.info.scheme);
    const core::Ticks ticks = scheme.ticks(slot.info.layout, slot.info.sequences);
    const LastTaken last = scheme.last_taken(slot, ticks);
    core::HorizonGoal goal = core::horizon_goal(now, last.end, scheme.margin_ns(ticks), settings.reserve_ns());
    goal.enough = goal.target;
    const HorizonNeed need{last.seen, goal, {INT64_MAX}};
    return advance_row(slot.info.scheme, slot, ticks, need, row).outcome == Advance::advanced;
}

int find_nearly_due(core::UnixNanos now, SharedRow *found) {
    int count = 0;
    const Oid table = extension_tables().generator;
    lock_slots(LW_SHARED);
    for_each_slot([&](Slot &slot) {
        if (slot.key.database != MyDatabaseId || slot.key.table != table || slot.info.backfill) return;
        if (slot.row_tid.load() == 0 || !is_nearly_due(slot, now) || !is_in_steady_use(slot, now)) return;
        found[count] = {&slot, slot.key, {}};
        itemptr_decode(&found[count++].tid, slot.row_tid.load());
    });
    unlock_slots();
    return count;
}

}  // namespace

void advance_together(const Slot &own, core::UnixNanos now) {
    const std::int64_t left = own.highest_horizon_ns.load() - now.value;
    const bool is_first_use = left <= 0, is_due = left < core::due_ns(settings.reserve_ns());
    if (is_first_use || !is_due) return;
    auto *due = static_cast<SharedRow *>(palloc(static_cast<Size>(shared->slot_count) * sizeof(SharedRow)));
    const int count = find_nearly_due(now, due);
    if (count > 1)
        change_shared_rows(due, count, [now](const SharedRow &of, HorizonRow &row) { return advance(of, now, row); });
    pfree(due);
}

}  // namespace snowid::server
