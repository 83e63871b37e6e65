// Rows of _snowid.horizon, overwritten in place through generic WAL. That needs no transaction id, survives ROLLBACK,
// and is in every backup, standby and dump. The rules:
//
//  - A row is found by its key, on any block, and checked again under the buffer's lock. If a restore has added rows,
//    the highest counts.
//  - Its WAL is flushed before anyone makes an id under it. A backend that finds the row high enough flushes up to the
//    page's last change, because the backend that made the change may not have flushed it yet.
//  - A row that this transaction has added is advanced only if there is no other, because after ROLLBACK nothing would
//    remember the ids. For the same reason, a transaction that has rewritten the table makes no ids.
#pragma once

#include "core/function_ref.hpp"
#include "pg/prelude.hpp"
#include "server/durable/horizon_row.hpp"
#include "server/durable/in_place.hpp"
#include "server/shared/slot.hpp"

extern "C" {
#include "storage/itemptr.h"
#include "utils/relcache.h"
}

namespace snowid::server {

core::History this_history();  // REQUIRES: the server is not in recovery

// Whether no WAL can have been lost since a row was written in that history.
bool goes_on(core::History row);

// Where a backend last found a generator's row. It checks the row again whenever it uses it.
struct RowPlace {
    Oid table = InvalidOid;
    ItemPointerData tid{};
};

// Raises an error unless a row of the table is a HorizonRow.
void require_horizon_columns(Relation table);

// The generator's row with its page locked, until it is written or an error is raised. Raises an error if the row is
// missing.
class LockedHorizon {
public:
    LockedHorizon(std::int64_t generator, RowPlace &place, IfBusy if_busy);

    bool is_locked() const { return table_ != nullptr; }  // false if something was busy and we gave up

    HorizonRow &row();  // to be changed

    // Unlocks the row, too. Whoever relies on it first flushes the WAL up to what this returns.
    XLogRecPtr write(bool has_changed);

private:
    Relation table_ = nullptr;
    LockedRow row_;
};

// Reads what covers all rows of the generator, and the place of the one that is advanced. Returns false if there is
// none.
bool read_horizon(std::int64_t generator, HorizonRow &row, RowPlace &place);

// Calls `change` with every row of the generator, writes those for which it returns true, and flushes.
using ChangeRow = core::FunctionRef<bool(HorizonRow &row)>;
void change_horizon_rows(std::int64_t generator, ChangeRow change);

// A row that other backends use.
struct SharedRow {
    Slot *slot;
    SlotKey key;
    ItemPointerData tid;
};

using ChangeSharedRow = core::FunctionRef<bool(const SharedRow &of, HorizonRow &row)>;

// Writes each row that is still in its place and for which `change` returns true, and each page once. Leaves rows alone
// that are busy or that a transaction could still undo. Flushes nothing: a caller that relies on a row flushes it.
void change_shared_rows(SharedRow *rows, int count, ChangeSharedRow change);

// Adds a row of this history, unless the row names another one.
void add_horizon_row(const HorizonRow &row);
void delete_horizon_rows(std::int64_t generator);

void see_all_horizon_rows(Relation table, core::FunctionRef<void(const HorizonRow &row)> see);

[[noreturn]] void raise_horizon_missing();

}  // namespace snowid::server
