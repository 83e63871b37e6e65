#include "server/horizon/horizon.hpp"

#include "pg/clock.hpp"
#include "pg/shown.hpp"
#include "server/base/settings.hpp"
#include "server/base/wait.hpp"
#include "server/extension/tables.hpp"
#include "server/memory/shared.hpp"

extern "C" {
#include "access/table.h"
#include "catalog/index.h"
#include "miscadmin.h"
}

namespace snowid::server {
GeneratorHorizon default_horizon(Scheme scheme) {
    return {.generator = row_of(scheme).default_generator,
            .scheme = scheme,
            .slot = &shared->default_slot(scheme),
            .ticks = core::Ticks(settings.layout),
            .place = {}};
}

bool raise_horizon(GeneratorHorizon &of, std::uint64_t seen, const core::HorizonGoal &goal, IfBusy if_busy,
                   core::UnixNanos &horizon) {
    horizon = {0};
    const bool done = change_horizon_row(of.generator, of.place, if_busy, [&](HorizonRow &row) {
        const SchemeRow &scheme = row_of(of.scheme);
        if (!scheme.is_news(*of.slot, row)) return scheme.raise_row(*of.slot, of.ticks, seen, goal, row, horizon);
        skip_past(of, row.used_up());
        return false;
    });
    of.slot->row_tid.store(itemptr_encode(&of.place.tid), std::memory_order_relaxed);
    return done;
}

void cover_horizon(GeneratorHorizon &of, const core::UsedUp &used) {
    change_horizon_row(of.generator, of.place, IfBusy::wait, [&](HorizonRow &row) {
        const core::UsedUp before = row.used_up();
        row.set(core::merged(before, used));
        return !(row.used_up() == before);
    });
}

void skip_past(const GeneratorHorizon &of, const core::UsedUp &used) {
    lock_slots(true);
    row_of(of.scheme).skip_past(*of.slot, of.ticks, used);
    unlock_slots();
}

void note_raised(Slot &slot, core::UnixNanos horizon) {
    raise_to(slot.highest_horizon_ns, horizon.value);
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
        return true;
    });
}

bool read_horizon(std::int64_t generator, HorizonRow &row) {
    Relation table = open_extension_table(&ExtensionTables::horizon, AccessShareLock);
    bool found = false;
    see_horizon_rows(table, generator, [&](const HorizonRow &candidate) {
        const core::UsedUp all = found ? core::merged(row.used_up(), candidate.used_up()) : candidate.used_up();
        row = candidate;
        row.set(all);
        found = true;
    });
    table_close(table, AccessShareLock);
    return found;
}

}  // namespace snowid::server
