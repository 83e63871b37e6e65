// The durable horizon of a generator: a row of the extension's table snowid_horizon, overwritten in place through
// generic WAL. That needs no transaction id, outlives ROLLBACK, and is in every backup, standby and dump. The rules:
//
//  - A row is found by its key, on any block, and looked at again under the buffer's lock. Where a restore has added
//    rows, the highest counts.
//  - Its WAL is flushed before anyone issues an id under it; whoever finds it high enough flushes as far as the page's
//    last change, for the backend that made that may not have.
//  - A row that this transaction has added is raised only where there is no other: after ROLLBACK nothing would
//    remember the ids. For the same reason there are none in a transaction that has rewritten the table.
//  - A row that is higher than all that this incarnation has read or raised has come by a way that no trigger saw: ids
//    go on above it.
//  - What a backend learns from it is that backend's own, and forgotten with every invalidation of the table: a row
//    that a transaction has made or copied is gone after ROLLBACK.
#pragma once

#include <cstdint>

#include "core/timeline/horizon.hpp"
#include "core/timeline/used_up.hpp"
#include "pg/prelude.hpp"
#include "server/slots.hpp"

extern "C" {
#include "storage/itemptr.h"
}

namespace snowid::server {

// The server's own ones.
inline constexpr std::int64_t kDefaultGenerator = 0, kDefaultSnoGenerator = -1;

constexpr std::int64_t default_generator(Scheme scheme) noexcept {
    return scheme == Scheme::sno ? kDefaultSnoGenerator : kDefaultGenerator;
}

// The table's row as it lies on the page.
struct HorizonRow {
    std::int64_t generator = 0;
    std::int64_t horizon_ns = 0;
    std::int64_t clock_offset_ns = 0;  // wall time less elapsed time when it was last raised,
    std::int64_t boot = 0;             // in this boot of the machine,
    std::int64_t server = 0;           // by this server,
    std::int64_t timeline = 0;         // on this WAL timeline
    std::int64_t safe = 0;             // of a sno generator
    std::int64_t toggles = 0;          // of a sno generator

    core::UsedUp used_up() const noexcept { return {{horizon_ns}, safe, static_cast<std::uint64_t>(toggles)}; }
    void set(const core::UsedUp &used_up) noexcept {
        horizon_ns = used_up.horizon.value;
        safe = used_up.safe;
        toggles = static_cast<std::int64_t>(used_up.toggles);
    }
};

// Whose row it is, as one backend knows it.
struct HorizonHolder {
    std::int64_t generator;
    Scheme scheme;
    Slot *slot;         // whose timeline goes by the row; may be nothing
    core::Ticks ticks;  // of that timeline, if it is one of snowflakes

    // Where the row was found last. It is looked at again whenever it is used.
    Oid table;
    ItemPointerData tid;
};

HorizonHolder default_horizon_holder(Scheme scheme);

enum class Patience : std::uint8_t { none, any };

// Calls `change` with the row, under its buffer's lock; where that returns true the row is written, and in either case
// it is flushed. False where that would have meant waiting for somebody and there is no patience. Raises an error where
// the row is missing.
using ChangeRow = bool (*)(HorizonRow &row, void *context);
bool change_horizon(HorizonHolder &holder, Patience patience, ChangeRow change, void *context);

template <typename Change>
bool change_horizon(HorizonHolder &holder, Patience patience, Change change) {
    return change_horizon(
        holder, patience, [](HorizonRow &row, void *context) { return (*static_cast<Change *>(context))(row); },
        &change);
}

// The horizon of a generator of snowflakes, raised to the goal's target unless it is enough.
bool raise_horizon(HorizonHolder &holder, const core::HorizonGoal &goal, Patience patience, std::int64_t &horizon_ns);

// Makes durable that what the state covers is used.
void cover_horizon(HorizonHolder &holder, const core::UsedUp &state);

// Before anyone can take what is written for a stranger's.
void note_raised(const HorizonHolder &holder, std::int64_t horizon_ns);

// The row of a generator that has none yet.
void add_horizon(const HorizonRow &row);

// Every row of the generator that is beyond the instant is set to it.
void lower_horizon(std::int64_t generator, core::UnixNanos to);

// What the state covers is not issued again by the holder's timeline.
void go_on_above(const HorizonHolder &holder, const core::UsedUp &state);

// For the start of an incarnation: calls `see` for every row of this database, if the extension is in it.
void read_horizons(void (*see)(const HorizonRow &));

// What covers all rows of the generator; false where there is none.
bool read_horizon(std::int64_t generator, HorizonRow &row);

[[noreturn]] void raise_horizon_missing();

}  // namespace snowid::server
