// The floor of a scheme: a row that belongs to the whole cluster, and says how far the ids of this server have come in
// all its databases. The rows of _snowid.horizon go with their database or extension; the floor stays. So after a
// restart no id is made again that a dropped database has made.
//
// The row is a security label of the tablespace pg_global. That is the one table of all databases in which an extension
// can keep a text that is on every standby and in every backup, and that goes with no object. The rules:
//
//  - Nobody registers the provider of these labels, so SQL can neither change nor remove them, and no dump has them.
//  - The floor is advanced in place, before the ids below it are made, together with the row of _snowid.horizon.
//  - The server's worker makes the rows at its first start. From then on they are never inserted, updated or deleted.
#pragma once

#include "core/timeline/floor.hpp"
#include "server/durable/in_place.hpp"
#include "server/shared/scheme.hpp"

namespace snowid::server {

bool has_floor(Scheme scheme);

// The floor with its page locked, until it is written or an error is raised. Raises an error if there is no row, or if
// it cannot be read.
class LockedFloor {
public:
    explicit LockedFloor(Scheme scheme, IfBusy if_busy = IfBusy::wait);

    bool is_locked() const { return table_ != nullptr; }  // false if something was busy and we gave up

    core::Floor floor{};  // to be changed

    // Writes the floor if it has changed, and unlocks it. Whoever relies on the floor first flushes the WAL up to what
    // this returns.
    XLogRecPtr write();
    void write_and_flush();

private:
    InPlace lock_at(const ItemPointerData &tid, Scheme scheme, IfBusy if_busy);

    Relation table_ = nullptr;
    LockedRow row_;
    core::Floor before_{};
    std::string_view label_;  // in the copy of the row
};

core::Floor read_floor(Scheme scheme);

// A row has been raised where the floor could not be. The next start reads all rows again.
void distrust_floors();

// Makes the rows that are missing. REQUIRES: a transaction in some database. No other process does the same.
void make_floors();

}  // namespace snowid::server
