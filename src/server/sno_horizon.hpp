// The durable part of a generator of snos: how far it has come with either value of the tick-tock bit.
#pragma once

#include "core/timeline/used_up.hpp"
#include "server/horizon.hpp"

namespace snowid::server {

// The horizon for what was seen of the timeline, raised to the goal's target unless it is enough. It is 0 where
// something has changed since: look again.
bool raise_sno_horizon(HorizonHolder &holder, std::uint64_t seen, const core::HorizonGoal &goal, Patience patience,
                       std::int64_t &horizon_ns);

// What the state covers is not issued again by the slot's timeline. Nobody's limit outlives that.
void take_in(Slot &slot, const core::UsedUp &state);

// The clock has stepped back: if it is past the safe unit, ids go on with the other bit. Returns what came of it.
core::SnoToggle toggle(Slot &slot, const core::SnoBounds &bounds, const core::SnoPolicy &policy);

}  // namespace snowid::server
