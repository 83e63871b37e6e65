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
#include "server/shared/scheme.hpp"

extern "C" {
#include "utils/timestamp.h"
}

namespace snowid::server {

// What the server counts in shared memory, and a limit for log messages that would flood the log.
struct Counters {
    std::atomic<std::int64_t> issued;
    std::atomic<std::int64_t> skipped;  // positions of stretches that no id used
    std::atomic<std::int64_t> waits;
    std::atomic<std::int64_t> wait_ns;
    std::atomic<std::int64_t> overflows;
    std::atomic<std::int64_t> refusals;
    std::atomic<std::int64_t> horizon_advances;
    std::atomic<std::int64_t> reset_at;  // a TimestampTz
};

inline void reset_counters(Counters &counters) {
    for (auto *counter : {&counters.issued, &counters.skipped, &counters.waits, &counters.wait_ns, &counters.overflows,
                          &counters.refusals, &counters.horizon_advances})
        counter->store(0, std::memory_order_relaxed);
    counters.reset_at.store(GetCurrentTimestamp());
}

struct ClockCounters {
    std::atomic<std::int64_t> regressions;
    std::atomic<std::int64_t> max_regression_ns;
};

inline void count(std::atomic<std::int64_t> &counter, std::int64_t by = 1) noexcept {
    counter.fetch_add(by, std::memory_order_relaxed);
}

template <typename T>
void advance_to(std::atomic<T> &value, T at_least) noexcept {
    T known = value.load(std::memory_order_relaxed);
    while (known < at_least && !value.compare_exchange_weak(known, at_least, std::memory_order_relaxed)) {
    }
}

// Lets one message of a kind through each minute and counts the others.
class LogLimiter {
public:
    // Whether to log now. `held_back` is how many messages were not logged since the last one.
    bool admit(std::int64_t monotonic_ns, std::int64_t &held_back) noexcept {
        constexpr std::int64_t kMinute = 60'000'000'000;
        std::int64_t last = last_.load(std::memory_order_relaxed);
        if ((last != 0 && monotonic_ns - last < kMinute) ||
            !last_.compare_exchange_strong(last, monotonic_ns, std::memory_order_relaxed)) {
            held_back_.fetch_add(1, std::memory_order_relaxed);
            return false;
        }
        held_back = held_back_.exchange(0, std::memory_order_relaxed);
        return true;
    }

private:
    std::atomic<std::int64_t> last_{0};
    std::atomic<std::int64_t> held_back_{0};
};

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
