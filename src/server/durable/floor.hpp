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

// Raises an error if there is no row, or if it cannot be read.
core::Floor read_floor(Scheme scheme);

// Calls `change` with the floor, under the lock of its page, and writes what has changed. Returns false if something is
// busy and we give up. Raises an error if there is no row. Whoever relies on the floor first flushes the WAL up to
// `end`.
using ChangeFloor = core::FunctionRef<void(core::Floor &floor)>;
bool change_floor(Scheme scheme, IfBusy if_busy, ChangeFloor change, XLogRecPtr &end);

// Waits for what is busy, and flushes.
void change_floor_and_flush(Scheme scheme, ChangeFloor change);

// A row has been raised where the floor could not be. The next start reads all rows again.
void distrust_floors();

// Makes the rows that are missing. REQUIRES: a transaction in some database. No other process does the same.
void make_floors();

}  // namespace snowid::server
