// The server of the model: what it shares in memory, what is durable, and its clock. The names are those of src/server.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <list>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "claims/law.hpp"
#include "claims/steps.hpp"
#include "core/clock/policy.hpp"
#include "core/fleet/tenure.hpp"
#include "core/sno/timeline.hpp"
#include "core/timeline/claim.hpp"
#include "core/timeline/floor.hpp"
#include "core/timeline/horizon.hpp"
#include "core/timeline/timeline.hpp"
#include "layout/random_layout.hpp"

namespace snowid::test::claims {

using core::millis, core::UnixNanos, core::UsedUp;

// Mistakes that the model makes on purpose.
enum class Fault {
    none,
    no_starting_point,         // a reload takes the new number without a starting point
    tick_goes_on,              // the same, and it does not finish the tick
    number_after_position,     // a backend reads the number after it has confirmed the position
    no_confirmation,           // a backend does not check the version after it has taken a position
    freed_is_forgotten,        // the server does not remember how far the ids of a freed slot have come
    rollback_leaves_nothing,   // ROLLBACK of a creation leaves nothing above which the number could begin again
    created_is_not_covered,    // the server's row does not cover the ids of an uncommitted generator
    start_reads_no_claims,     // a start reads only the rows of the server's own generators
    holder_is_overrun,         // a reload takes a number that a named generator has
    restore_brings_no_past,    // a restore brings no claims that were given up
    floor_is_ignored,          // a start takes in no floor
    floor_is_own,              // a floor says nothing about named generators
    floor_has_no_number,       // the server gets another number, and the floor does not begin it
    restored_begins_low,       // a restored generator begins where it was when the dump was taken
    ticks_are_ignored,         // nor those with other ticks than the server's, further than its clock
    change_is_not_judged,      // another layout is recorded by which generators meet
    restore_leaves_floor,      // a restore does not raise the floor
    restore_begins_no_number,  // the same, and the floor may have the number of a generator that it brings
    new_floor_is_whole,        // a start goes by a floor that was just made
    upgrade_keeps_whole,       // or by one that does not know what pg_upgrade has brought
    tenure_overruns,           // a directory's number begins where its tenure does
    narrow_cut,                // a start believes rows only as far as ids may be ahead of the clock
    cut_is_whole,              // the floor is whole, although the start has not believed a row
    past_is_ignored,           // a changed claim does not begin above those that were given up
    layout_is_no_number,       // the server gets another layout, and the floor does not begin it
};

enum class Scheme : std::uint8_t { snowflake, sno };
inline constexpr Scheme kSchemes[] = {Scheme::snowflake, Scheme::sno};
constexpr std::size_t at(Scheme scheme) { return static_cast<std::size_t>(scheme); }

inline constexpr std::int64_t kDriftNs = millis(20), kReserveNs = millis(10), kWaitNs = millis(2);
inline constexpr std::int64_t kMostAheadNs = 2 * (kDriftNs + kReserveNs);
inline constexpr std::uint64_t kCallers = 8;
inline constexpr std::size_t kSlots = 6, kDatabases = 2;
// Every layout has them. 20 and 21 in one with 8 bits can be 5 in one with 6, and 12 can be 3.
inline constexpr std::uint32_t kNumbers[] = {0, 3, 5, 12, 20, 21};
inline constexpr std::size_t kNames = 6;  // the first half are for snowflakes, the others for snos

// An error, as from ereport().
struct Refused {};

struct SlotKey {
    int database = 0;
    int table = 0;               // of the extension; 0 in a pattern: any
    std::int64_t generator = 0;  // 0: the slot is free; in a pattern: any

    friend bool operator==(const SlotKey &, const SlotKey &) = default;
};

struct SlotInfo {
    int name = 0;
    Scheme scheme{};
    bool backfill = false;
    const core::Layout *layout = nullptr;
    core::SequenceRange sequences{};
    bool is_apart = false;
    bool follows_server = false;
    std::uint32_t number = 0;
};

struct Slot {
    core::Timeline timeline;
    core::SnoTimeline snos;
    std::uint64_t version = 0;
    std::int64_t highest_horizon_ns = 0;
    std::int64_t made_until_ns = 0;
    std::int64_t start_ns = 0;
    std::int64_t given_ns = 0;
    int users = 0;
    SlotKey key;
    SlotInfo info;
};

struct ClockedPast {
    std::int64_t given_up_until_ns = 0;
    std::int64_t named_until_ns = 0;
};

struct ServerNumber {
    std::uint32_t bits = 0;
    std::uint32_t wanted = 0;
    std::uint32_t next = 0;
    std::int64_t used_until_ns = 0;
    ClockedPast past[2];
    int holder = 0;  // a name; 0: there is none

    ClockedPast &past_of(bool ticks_of_server) { return past[ticks_of_server ? 0 : 1]; }
    const ClockedPast &past_of(bool ticks_of_server) const { return past[ticks_of_server ? 0 : 1]; }
};

// What the directory has said.
struct Tenure {
    core::WorkerRange range{0, UINT32_MAX};  // not known yet: it may give out any number
    std::int64_t from_ns = 0;
    bool is_in_force = false;
};

struct Shared {
    Slot default_slots[2];
    ServerNumber numbers[2];
    Slot slots[kSlots];
    bool slots_locked = false;
    std::uint64_t slot_changes = 0;
    bool ready = false;
    Tenure tenure;

    Slot &default_slot(Scheme scheme) { return default_slots[at(scheme)]; }
    ServerNumber &number(Scheme scheme) { return numbers[at(scheme)]; }
};

using Xid = int;
inline constexpr Xid kCommitted = 0;

// A row of snowid_generator.
struct Record {
    std::int64_t id = 0;
    int name = 0;  // 0: a claim that was given up
    Scheme scheme{};
    bool overlap = false;
    bool backfill = false;
    const core::Layout *layout = nullptr;    // nullptr: the database's,
    const core::Layout *recorded = nullptr;  // which is this one
    std::optional<std::uint32_t> number;
    std::optional<core::SequenceRange> sequences;
    Xid xmin = kCommitted;
    Xid xmax = kCommitted;

    bool has_name() const { return name != 0; }
};

// SQL calls these the default generators. In snowid_horizon they have these numbers.
constexpr std::int64_t default_generator(Scheme scheme) { return scheme == Scheme::snowflake ? 0 : -1; }

// A row of snowid_horizon. It is overwritten in place, which is durable at once.
struct HorizonRow {
    std::int64_t generator = 0;
    UsedUp used{{0}, 0, 0};  // as it is written
    Xid xmin = kCommitted;
    int tid = 0;
    bool locked = false;
    bool is_of_sql = true;  // SQL wrote it, and the server has not written it since
    bool is_frozen = false;

    UsedUp used_up() const {
        if (generator != default_generator(Scheme::sno) || !is_of_sql) return used;
        return UsedUp::all_before(std::max(used.horizon, core::SnoUnits::start(used.safe + 1)));
    }
};

struct Database {
    int oid = 0;
    int table = 0;  // snowid_generator
    bool exists = false;
    bool is_closing = false;
    int connected = 0;
    const core::Layout *layout = nullptr;
    std::list<Record> records;
    std::list<HorizonRow> rows;
    bool locked = false;  // the table of records, by a session that changes it
    int invalidations = 0;
    std::size_t home = 0;  // of its ids
};

// A dump of a database, and the ids in its tables.
struct Dump {
    const core::Layout *layout = nullptr;
    std::list<Record> records;
    std::list<HorizonRow> rows;
    Ids ids[2];  // by scheme
};

// What this incarnation is mostly asked to do.
struct Mood {
    std::uint64_t default_share = 1;  // one statement in this many is for the server's own generators
    std::uint32_t numbers[3]{};       // that most named generators have
    std::uint64_t transaction_share = 1;
    std::uint64_t change_share = 1;  // what a transaction does
    std::uint64_t savepoint_share = 1;
    std::uint64_t drop_share = 1;
    std::uint64_t crash_share = 1;    // of steps
    std::uint64_t restore_share = 1;  // of those of the superuser
    std::uint64_t reload_share = 1;
    bool is_back_and_forth =
        false;                   // reloads go between two numbers, and the server crashes when it has restored a dump
    bool is_quiet = false;       // a new cluster makes no ids, and gets dumps of the last one
    bool is_idle = false;        // it starts once more, and nothing else happens
    std::int64_t ahead_ns = 0;   // how far the clock is ahead; the next cluster has only dumps of this one then
    std::size_t first_name = 0;  // and their names
    std::size_t names = 1;
};

// What is in WAL. A standby that lags has what it was.
struct Durable {
    Database databases[kDatabases];
    core::Floor floors[2]{};  // of no database
    bool is_whole = false;    // the floors cover all rows
};

struct Server : Durable {
    Server(Fault fault_, std::mt19937_64 &random_) : fault(fault_), random(random_), has_layouts(chance(2)) {
        for (std::size_t i = 0; i < kDatabases; ++i) databases[i].home = i;
    }

    UnixNanos latest_believed() const { return {now().value + (fault == Fault::narrow_cut ? kDriftNs : kMostAheadNs)}; }
    bool chance(std::uint64_t of) const { return below(random, of) == 0; }
    UnixNanos now() const { return {clock_ns + offset_ns}; }
    Law &law(Scheme scheme) { return laws[at(scheme)]; }
    Ids &ids(const Database &db, Scheme scheme) { return law(scheme).homes[db.home]; }
    Slot &default_slot(Scheme scheme) const { return shared->default_slot(scheme); }
    ServerNumber &number(Scheme scheme) const { return shared->number(scheme); }

    template <typename Visit>
    void for_each_slot(Visit visit) const {
        for (Slot &slot : shared->slots)
            if (slot.key.generator != 0) visit(slot);
    }

    const Fault fault;
    std::mt19937_64 &random;
    // A usual layout, one that divides the bits below the time differently, and one with other ticks.
    const core::Layout usual_layout = layout_of("epoch=2024-01-01,tick=1ms,time=41,worker=8,sequence=6");
    const core::Layout wide_layout = layout_of("epoch=2024-01-01,tick=1ms,time=41,worker=6,sequence=8");
    const core::Layout slow_layout = layout_of("epoch=2024-01-01,tick=15ms,time=37,worker=8,sequence=10");
    const core::Layout *layout = &usual_layout;  // the server's, which changes at starts only
    const bool has_layouts;                      // otherwise there is one
    std::int64_t clock_ns = 1'767'225'600'000 * core::kNanosPerMilli;
    std::int64_t offset_ns = 0;  // at most half the drift, so the clock never steps by more than the drift
    std::uint32_t configured[2] = {3, 3};
    Durable standby;
    std::int64_t latest_ns = 0;    // no id of this time or later has been made
    std::int64_t promoted_ns = 0;  // what a promotion has lost is before this, and the clock past it
    bool in_fleet = false;         // a directory gives this incarnation its numbers
    bool has_cut = false;          // the start has not believed a row
    bool falls = false;            // the server crashes now
    Dump dump;
    Law laws[2];
    int last_oid = 0, last_tid = 0;
    Xid last_xid = 0;
    bool is_settled = false;  // the worker has done all it can to put the wanted numbers in force
    Mood mood;
    int crashes = 0, reloads = 0, commits = 0, rollbacks = 0, restores = 0, restores_in_use = 0, refused = 0,
        toggles = 0, layout_changes = 0, upgrades = 0, templates = 0, starts = 0, starts_by_floor = 0;
    std::unique_ptr<Shared> shared;
};

inline Task<> lock_slots(Server &s) {
    while (s.shared->slots_locked) co_await step();
    s.shared->slots_locked = true;
}
inline void unlock_slots(Server &s) { s.shared->slots_locked = false; }

inline void advance_to(std::int64_t &value, std::int64_t to) { value = std::max(value, to); }

}  // namespace snowid::test::claims
