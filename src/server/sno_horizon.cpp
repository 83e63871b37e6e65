#include "server/sno_horizon.hpp"

#include "pg/clock.hpp"

namespace snowid::server {
namespace {

// Whether the row has come by a way that no trigger saw.
bool is_news(const Slot &slot, const HorizonRow &row) {
    const std::uint64_t toggles = slot.snos.toggles(), of_row = row.used_up().toggles;
    return of_row > toggles || (of_row == toggles && row.horizon_ns > slot.highest_horizon_ns.load());
}

}  // namespace

bool raise_sno_horizon(HorizonHolder &holder, std::uint64_t seen, const core::HorizonGoal &goal, Patience patience,
                       std::int64_t &horizon_ns) {
    return change_horizon(holder, patience, [&](HorizonRow &row) {
        horizon_ns = 0;
        core::UsedUp used_up{};
        const core::UsedUp before = row.used_up();
        if (is_news(*holder.slot, row)) {
            take_in(*holder.slot, before);
            return false;
        }
        if (!holder.slot->snos.raised(seen, goal.target, used_up)) return false;
        const bool same_bit = before.toggles == used_up.toggles;
        const bool enough = same_bit && before.safe == used_up.safe && before.horizon >= goal.enough;
        if (enough || (same_bit && before.horizon > used_up.horizon)) used_up.horizon = before.horizon;
        horizon_ns = used_up.horizon.value;
        if (!enough) note_raised(holder, horizon_ns);
        row.set(used_up);
        return !enough;
    });
}

void take_in(Slot &slot, const core::UsedUp &state) {
    lock_slots(true);
    const core::UsedUp known = slot.snos.used_up(), all = core::merged(known, state);
    if (all != known) {
        const core::UsedUp before = slot.snos.stop();
        slot.version.fetch_add(1);
        slot.snos.resume(core::merged(before, state));
    }
    raise_to(slot.highest_horizon_ns, all.horizon.value);
    unlock_slots();
}

core::SnoToggle toggle(Slot &slot, const core::SnoBounds &bounds, const core::SnoPolicy &policy) {
    lock_slots(true);
    const core::SnoToggle begun = slot.snos.begin_toggle(policy, pg::wall_clock);
    if (begun.verdict == core::SnoVerdict::toggle) {
        slot.highest_horizon_ns.store(0);
        slot.version.fetch_add(1);
        slot.snos.finish_toggle(bounds, begun);
    }
    unlock_slots();
    return begun;
}

}  // namespace snowid::server
