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
#include "core/timeline/history.hpp"
#include "core/timeline/used_up.hpp"
#include "pg/prelude.hpp"
#include "server/durable/in_place.hpp"
#include "server/shared/scheme.hpp"
#include "server/shared/slot.hpp"

extern "C" {
#include "storage/itemptr.h"
#include "utils/relcache.h"
}

namespace snowid::server {

// A row as it lies on the page: how far a generator's ids may have come.
struct HorizonRow {
    std::int64_t generator = 0;
    std::int64_t horizon_ns = 0;
    std::int64_t server = 0;    // that has last advanced it; 0: only SQL has written the row
    std::int64_t timeline = 0;  // in this history: see core/timeline/history.hpp
    std::int64_t safe = 0;      // of a sno generator
    std::int64_t toggles = 0;   // of a sno generator

    bool is_sound() const noexcept { return as_written().is_sound(); }
    core::History history() const noexcept { return {timeline}; }
    // Only a superuser, past our triggers, can have written a state that no generator can be in.
    void make_sound() noexcept { set(as_written().nearest_sound()); }

    // The server has one generator of snos for all databases, and a row that SQL has added speaks for only one of them.
    // Such a row may say that time is used, but not with which tick-tock bit.
    core::UsedUp used_up() const noexcept {
        if (generator != kSnoScheme.default_generator || server != 0) return as_written();
        return as_written().with_either_bit();
    }
    // Returns whether that says more than the row said before.
    bool cover(const core::UsedUp &used) noexcept {
        const core::UsedUp before = used_up();
        set(core::merged(before, used));
        return used_up() != before;
    }
    void set(const core::UsedUp &used) noexcept {
        horizon_ns = used.horizon.value;
        safe = used.safe;
        toggles = static_cast<std::int64_t>(used.toggles);
    }
    // Another row of the same generator.
    void merge(const HorizonRow &other) noexcept {
        set(core::merged(used_up(), other.used_up()));
        if (timeline != other.timeline) timeline = core::History::unknown().word;
        if (other.server == 0) server = 0;
    }

private:
    core::UsedUp as_written() const noexcept { return {{horizon_ns}, safe, static_cast<std::uint64_t>(toggles)}; }
};

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
inline bool read_horizon(std::int64_t generator, HorizonRow &row) {
    RowPlace place;
    return read_horizon(generator, row, place);
}

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
