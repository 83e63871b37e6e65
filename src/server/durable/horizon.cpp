#include "server/durable/horizon.hpp"

#include "pg/error.hpp"
#include "pg/time.hpp"
#include "server/durable/floor.hpp"
#include "server/durable/tables.hpp"
#include "server/number/server_number.hpp"
#include "server/number/slots.hpp"
#include "server/shared/settings.hpp"
#include "server/shared/shared.hpp"
#include "server/shared/wait.hpp"

extern "C" {
#include "access/xlog.h"
#include "catalog/index.h"
#include "miscadmin.h"
}

namespace snowid::server {

GeneratorHorizon default_horizon(Scheme scheme) {
    return {.generator = scheme_row(scheme).default_generator,
            .scheme = scheme,
            .slot = &shared->default_slot(scheme),
            .ticks = core::Ticks(settings.layout),
            .place = {}};
}

namespace {

// The row as this server writes it for an id. Rows of a copy keep naming the original server, so that each start
// notices.
void stamp_advanced(HorizonRow &row) {
    const std::int64_t original = shared->original.load();
    row.server = original != 0 ? original : shared->identity.home.word;
    row.timeline = (original != 0 && row.generator <= 0 ? this_history().of_copy() : this_history()).word;
}

// The same where nothing is made. The row of a named generator says whether it has begun here, and in which history
// nothing of it was lost.
void stamp_covered(HorizonRow &row) {
    if (row.generator <= 0) stamp_advanced(row);
}

// The ids that may now be made under this horizon count for the whole cluster, in this incarnation and after it.
// Returns where their WAL ends, or nothing if the floor was busy.
std::optional<XLogRecPtr> advance_floor(const GeneratorHorizon &of, const core::UsedUp &used,
                                        core::UnixNanos used_until, IfBusy if_busy) {
    const std::uint32_t number = server_number(of.scheme);
    const SlotInfo &info = of.slot->info;
    const core::UnixNanos counted = info.backfill ? at_most_given(of.ticks, used_until) : used_until;
    const bool has_ticks = of.is_own() || has_ticks_of_server(info);
    if (info.backfill) note_given(info, counted);
    if (has_ticks && !info.backfill) advance_to(shared->reached_ns, counted.value);
    LockedFloor locked(of.scheme, if_busy);
    if (!locked.is_locked()) return {};
    core::Floor &floor = locked.floor;
    const core::Floor before = floor;
    begin_number(floor, of.scheme, number);
    core::UnixNanos &named = floor.of_named(has_ticks);
    if (of.is_own())
        floor.own = core::merged(floor.own, used);
    else
        named = std::max(named, counted);
    if (floor != before) stamp(floor);
    return locked.write();
}

// Only what some clock can have reached is believed. A start reads again what is beyond that.
core::UnixNanos counted_in(core::Floor &floor, core::UnixNanos end) {
    const core::UnixNanos counted = at_most_believed(end);
    if (counted < end) floor.whole = 0;
    return counted;
}

void cover_named(core::Floor &floor, core::UnixNanos end) {
    const core::UnixNanos counted = counted_in(floor, end);
    floor.named = std::max(floor.named, counted);
    floor.others = std::max(floor.others, counted);
}

void note_named_until(Scheme scheme, core::UnixNanos end) {
    for (const bool ticks_of_server : {true, false})
        advance_to(shared->number(scheme).past_of(ticks_of_server).named_until_ns, end.value);
}

// Under the lock of the row's page.
Advance advance_row(Scheme scheme, Slot &slot, const core::Ticks &ticks, const HorizonNeed &need, HorizonRow &row) {
    const Advance made = scheme_row(scheme).advance(slot, ticks, need, row);
    if (made.is_reached()) advance_to(slot.made_until_ns, made.end.value);
    if (made.outcome != Advance::advanced) return made;
    note_advanced(slot, {row.horizon_ns});
    stamp_advanced(row);
    return made;
}

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

void cover_own(core::Floor &floor, const core::UsedUp &used, core::UnixNanos end) {
    const core::UnixNanos counted = counted_in(floor, end);
    floor.own = core::merged(floor.own, counted == end ? used : core::UsedUp::all_before(counted));
}

Advance advance_horizon(GeneratorHorizon &of, const HorizonNeed &need, IfBusy if_busy, XLogRecPtr &wal_end) {
    LockedHorizon locked(of.generator, of.place, if_busy);
    if (!locked.is_locked()) return {Advance::busy};
    const Advance made = advance_row(of.scheme, *of.slot, of.ticks, need, locked.row());
    const core::UsedUp used = locked.row().used_up();
    if (made.outcome == Advance::unseen) skip_past(of, used);
    const XLogRecPtr end = locked.write(made.outcome == Advance::advanced);
    of.slot->row_tid.store(itemptr_encode(&of.place.tid), std::memory_order_relaxed);
    if (!made.is_reached()) return made;
    const std::optional<XLogRecPtr> floor_end = advance_floor(of, used, made.end, if_busy);
    if (!floor_end) return {Advance::busy};
    wal_end = std::max(end, *floor_end);
    return made;
}

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

void cover_horizon(GeneratorHorizon &of, const core::UsedUp &used) {
    LockedHorizon locked(of.generator, of.place, IfBusy::wait);
    const bool advanced = locked.row().cover(used);
    if (advanced) stamp_covered(locked.row());
    XLogFlush(locked.write(advanced));
}

void stamp(core::Floor &floor) {
    floor.clock = shared->clock.believed_ns();
    floor.boot = shared->identity.boot;
    const std::int64_t original = shared->original.load();
    floor.server = original != 0 ? original : shared->identity.home.word;
    floor.history = (original != 0 ? this_history().of_copy() : this_history()).word;
}

void remember_clock() {
    const core::Floor floor = read_floor(Scheme::snowflake);
    const std::int64_t gained = shared->clock.believed_ns() - floor.clock;
    if (floor.boot != shared->identity.boot || std::abs(gained) >= core::kNanosPerSecond) stamp_floors();
}

void stamp_floors() {
    for (const Scheme scheme : kSchemes) {
        LockedFloor locked(scheme);
        stamp(locked.floor);
        locked.write_and_flush();
    }
}

void raise_floor(std::int64_t generator, const core::UsedUp &used) {
    if (shared == nullptr) return distrust_floors();
    for (const Scheme scheme : kSchemes) {
        const bool is_own = generator == scheme_row(scheme).default_generator;
        if (generator <= 0 && !is_own) continue;
        const core::UnixNanos end = (is_own ? scheme_row(scheme) : kSnoScheme).first_time_after(used);
        if (!is_own) note_named_until(scheme, at_most_believed(end));
        LockedFloor locked(scheme);
        begin_number(locked.floor, scheme, server_number(scheme));
        is_own ? cover_own(locked.floor, used, end) : cover_named(locked.floor, end);
        locked.write();
    }
}

void cover_restored(std::int64_t generator, const core::UsedUp &used) {
    RowPlace place;
    LockedHorizon locked(generator, place, IfBusy::wait);
    HorizonRow &row = locked.row();
    const HorizonRow before = row;
    if (generator > 0) {
        row.server = 0;
        row.timeline = core::History::unknown().word;
    }
    const bool is_higher = row.cover(used);
    XLogFlush(locked.write(is_higher || row.server != before.server || row.timeline != before.timeline));
    if (generator > 0 && shared != nullptr) end_numbers({MyDatabaseId, extension_tables().generator, generator}, true);
}

void skip_past(const GeneratorHorizon &of, const core::UsedUp &used) {
    lock_slots(LW_EXCLUSIVE);
    scheme_row(of.scheme).skip_past(*of.slot, of.ticks, used);
    unlock_slots();
}

void note_advanced(Slot &slot, core::UnixNanos horizon) {
    advance_to(slot.highest_horizon_ns, horizon.value);
    count(slot.counters.horizon_advances);
}

void await_reach(core::UnixNanos end) {
    if (superuser()) return;
    for (core::UnixNanos now = pg::wall_clock(); now < end; now = pg::wall_clock()) {
        if (end.value > now.value + settings.reserve_ns())
            ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                            errmsg("only a superuser can restore a horizon that is ahead of the clock"),
                            errdetail("The horizon is at %s.", pg::shown_time(end)),
                            errhint("If the clock is behind, correct it. If not, restore as a superuser.")));
        sleep_slice(end.value - now.value);
    }
}

void lower_horizon(std::int64_t generator, core::UnixNanos to) {
    change_horizon_rows(generator, [to](HorizonRow &row) {
        row.horizon_ns = std::min(row.horizon_ns, to.value);
        row.safe = std::min(row.safe, core::SnoUnits::first_after(to) - 1);
        stamp_covered(row);
        return true;
    });
}

}  // namespace snowid::server
