// The durable horizon of a generator, in its row of snowid_horizon: no id was ever issued of a tick that has not begun
// by then. Ids are issued below it, and raised first where they would pass it.
//
// What a backend learns from the row is that backend's own. It forgets it with every invalidation of the table: a row
// that a transaction has made or copied is gone after ROLLBACK. A row that is higher than all that this incarnation has
// read or raised has come by a way that no trigger saw; ids go on above it.
#pragma once

#include <cstdint>

#include "server/horizon/page.hpp"
#include "server/memory/slot.hpp"

namespace snowid::server {

// A generator's horizon as one backend knows it.
struct GeneratorHorizon {
    std::int64_t generator;
    Scheme scheme;
    Slot *slot;         // whose timeline goes by the row; may be nullptr
    core::Ticks ticks;  // of that timeline, if it is one of snowflakes
    RowPlace place;
};

GeneratorHorizon default_horizon(Scheme scheme);

// Raises the horizon to the goal's target unless it is high enough, for a caller that saw the timeline in the state
// `seen`. Returns false if something is busy and we give up. The horizon is 0 if the timeline has changed since: look
// again.
bool raise_horizon(GeneratorHorizon &of, std::uint64_t seen, const core::HorizonGoal &goal, IfBusy if_busy,
                   core::UnixNanos &horizon);

// Makes it durable that what `used` covers is used.
void cover_horizon(GeneratorHorizon &of, const core::UsedUp &used);

// The slot's timeline issues nothing that `used` covers from here on.
void skip_past(const GeneratorHorizon &of, const core::UsedUp &used);

// Tells the slot of a horizon that is about to be written, so that no backend takes it for another server's.
void note_raised(Slot &slot, core::UnixNanos horizon);

// Sets every row of the generator that is beyond the instant to it.
void lower_horizon(std::int64_t generator, core::UnixNanos to);

// Returns when the clock has reached a time up to which somebody says that ids are used. Raises an error if that takes
// longer than ids may be ahead of the clock, unless it is a superuser who says so.
void await_reach(core::UnixNanos end);

// What covers all rows of the generator. Returns false if there is none.
bool read_horizon(std::int64_t generator, HorizonRow &row);

}  // namespace snowid::server
