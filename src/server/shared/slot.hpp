// A generator's place in shared memory: its timeline, and what is known about it. The slots of the server's own
// generators always exist. A named generator has a slot from its first id until it is dropped, or until no backend uses
// the slot and another generator needs it.
//
// `version` grows whenever the slot gets another generator, or the generator another record. A backend loads it after
// it has taken a position, and leaves the position unused if the version has grown. So once it has grown, no id is made
// according to the old record, and all ids that were lie below the durable horizon.
#pragma once

#include "core/sno/timeline.hpp"
#include "core/timeline/claim.hpp"
#include "core/timeline/timeline.hpp"
#include "pg/prelude.hpp"
#include "server/shared/counters.hpp"
#include "server/shared/scheme.hpp"

namespace snowid::server {

struct SlotKey {
    Oid database;
    Oid table;  // _snowid.generator, because the extension may be dropped and created again
    std::int64_t generator;

    friend bool operator==(const SlotKey &, const SlotKey &) = default;
};

// What the server's statistics show about a generator. Guarded by the lock of the slots.
struct SlotInfo {
    char name[NAMEDATALEN];
    Scheme scheme;
    bool backfill;
    core::Layout layout;
    core::SequenceRange sequences;
    bool is_apart;         // its ids must differ from the server's, because they may meet in one table
    bool follows_server;   // it has the server's number
    std::uint32_t number;  // the worker in its snowflakes, or the partition in its snos
};

// Callers that ask for more ids than a tick has; see generator/overflow.hpp.
struct Overflow {
    std::atomic<std::int64_t> since_ns;  // when it began, in elapsed time; 0: there is none
    std::atomic<std::int64_t> seen_ns;   // when a caller last began to wait
    std::atomic<Oid> database;           // of a caller that waits
    std::atomic<int> waiting;            // callers
    std::atomic<int> most_waiting;       // since the last notification
};

struct Slot {
    core::Timeline timeline;  // of snowflakes, or
    core::SnoTimeline snos;   // of snos; each alone on its cache line
    alignas(64) std::atomic<std::uint64_t> version;
    std::atomic<std::int64_t> highest_horizon_ns;  // of all horizons that this incarnation has read or advanced
    std::atomic<std::int64_t> made_until_ns;       // no id of this time or later was made since the slot was taken
    std::atomic<std::int64_t> start_ns;            // the horizon that it started from
    std::atomic<std::int64_t> given_us;            // backfill: the last time that was given
    std::atomic<std::int64_t> row_tid;             // where its row of _snowid.horizon was last found; 0: nowhere yet
    std::atomic<int> users;                        // backends that use the slot
    std::atomic<std::int64_t> left_ns;             // when a backend last left it, in elapsed time
    SlotKey key;                                   // generator 0: the slot is free
    std::int32_t next;                             // the next one with such a key, or the next free one; see shared.hpp
    SlotInfo info;
    alignas(64) Counters counters;
    Overflow overflow;
};

}  // namespace snowid::server
