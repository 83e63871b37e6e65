// Rows of snowid_horizon, overwritten in place through generic WAL. That needs no transaction id, outlives ROLLBACK,
// and is in every backup, standby and dump. The rules:
//
//  - A row is found by its key, on any block, and looked at again under the buffer's lock. If a restore has added rows,
//    the highest counts.
//  - Its WAL is flushed before anyone issues an id under it. A backend that finds the row high enough flushes up to the
//    page's last change, for the backend that made the change may not have flushed it yet.
//  - A row that this transaction has added is raised only if there is no other: after ROLLBACK nothing would remember
//    the ids. For the same reason no ids are made in a transaction that has rewritten the table.
#pragma once

#include "core/function_ref.hpp"
#include "pg/prelude.hpp"
#include "server/horizon/row.hpp"
#include "server/memory/slot.hpp"

extern "C" {
#include "storage/itemptr.h"
#include "utils/relcache.h"
}

namespace snowid::server {

// Where a backend found a generator's row last. It looks again whenever it uses the row.
struct RowPlace {
    Oid table = InvalidOid;
    ItemPointerData tid{};
};

enum class IfBusy : std::uint8_t { give_up, wait };

// Calls `change` with the generator's row, under its buffer's lock. The row is written if that returns true, and
// flushed in either case. Returns false if something is busy and we give up. Raises an error if the row is missing.
using ChangeRow = core::FunctionRef<bool(HorizonRow &row)>;
bool change_horizon_row(std::int64_t generator, RowPlace &place, IfBusy if_busy, ChangeRow change);

// The same for every row of the generator.
void change_horizon_rows(std::int64_t generator, ChangeRow change);

// A row that other backends use.
struct SharedRow {
    Slot *slot;
    SlotKey key;
    ItemPointerData tid;
};

using ChangeSharedRow = core::FunctionRef<bool(const SharedRow &of, HorizonRow &row)>;

// Writes each of the rows that is where it was and that `change` returns true for, each page once. Leaves rows alone
// that are busy, or that a transaction could still take back, and flushes nothing: the caller that goes by a row
// flushes it.
void change_shared_rows(SharedRow *rows, int count, ChangeSharedRow change);

void add_horizon_row(const HorizonRow &row);
void delete_horizon_rows(std::int64_t generator);

void see_horizon_rows(Relation table, std::int64_t generator, core::FunctionRef<void(const HorizonRow &row)> see);

void see_all_horizon_rows(Relation table, core::FunctionRef<void(const HorizonRow &row)> see);

[[noreturn]] void raise_horizon_missing();

}  // namespace snowid::server
