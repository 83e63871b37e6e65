// The durable horizon of a generator, in its row of _snowid.horizon: every id made so far has a tick that begins
// before it. Ids are made below the horizon. Before they would pass it, it is advanced.
//
// What a backend learns from the row is its own. It forgets that with every invalidation of the table, because a row
// that a transaction has made or copied is gone after ROLLBACK. If a row is higher than everything that this
// incarnation has read or advanced, it was written in a way that no trigger saw, and ids go on above it.
#pragma once

#include "core/timeline/floor.hpp"
#include "server/durable/horizon_page.hpp"
#include "server/shared/slot.hpp"

namespace snowid::server {

// A generator's horizon as one backend knows it.
struct GeneratorHorizon {
    std::int64_t generator;
    Scheme scheme;
    Slot *slot;         // the slot whose timeline follows the row; may be nullptr
    core::Ticks ticks;  // of that timeline, if it is of snowflakes
    RowPlace place;

    bool is_own() const noexcept { return generator <= 0; }  // of the server's own generator
};

GeneratorHorizon default_horizon(Scheme scheme);

// Advances the horizon to the goal's target unless it is high enough. Nobody may rely on it before the WAL is flushed
// up to `wal_end`.
Advance advance_horizon(GeneratorHorizon &of, const HorizonNeed &need, IfBusy if_busy, XLogRecPtr &wal_end);

// Generators in steady use are advanced together, so a thousand of them cost only a few flushes a second. `own` is the
// slot of one that is about to be advanced. If it is in steady use and due, this advances all of its database that are
// nearly due. It flushes nothing: one flush covers them all. A backend still learns only from the row how far it may
// go, so it does not matter who advanced the row.
void advance_together(const Slot &own, core::UnixNanos now);

// Makes durable that everything `used` covers is used.
void cover_horizon(GeneratorHorizon &of, const core::UsedUp &used);

// The same for what a restore says. A named generator may come back with it, and then begins like a new one.
void cover_restored(std::int64_t generator, const core::UsedUp &used);

// Makes durable which clock is believed, so that the next start in this boot of the machine notices a leap. Horizons
// stay as they are.
void remember_clock();
void stamp(core::Floor &floor);
void stamp_floors();  // the same for the server whose ids they are

// The floor covers what a row will say, or says, that was not advanced for an id. What a row says beyond any clock is
// not believed for other databases, so a start has to read it again. The generator may be of either scheme and have any
// ticks. REQUIRES: nobody relies on the row before the WAL is flushed.
void raise_floor(std::int64_t generator, const core::UsedUp &used);
// The same within a change of the floor, for the server's own ids, which have come to this end.
void cover_own(core::Floor &floor, const core::UsedUp &used, core::UnixNanos end);

// From here on, the slot's timeline makes nothing that `used` covers.
void skip_past(const GeneratorHorizon &of, const core::UsedUp &used);

// Tells the slot about a horizon that is about to be written, so that no backend takes it for another server's.
void note_advanced(Slot &slot, core::UnixNanos horizon);

// Lowers every row of the generator that is beyond the instant to the instant.
void lower_horizon(std::int64_t generator, core::UnixNanos to);

// Waits until the clock has reached a time up to which someone says ids are used. Raises an error if that would take
// longer than the reserve. A superuser need not wait.
void await_reach(core::UnixNanos end);

}  // namespace snowid::server
