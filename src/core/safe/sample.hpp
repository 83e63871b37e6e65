// Making a sample: a horizon below which no id is taken any more, and none is held by a transaction that its snapshot
// does not see as finished. The order is the proof:
//
//  1. The timeline. What is taken later is of this tick or a later one. What was taken before was held before.
//  2. The rows of processes. A process that has let go since has left PostgreSQL's list of running transactions, or
//     has handed over to a prepared transaction.
//  3. The rows of prepared transactions. Which of them run is not known yet.
//  4. A snapshot, of which the running ones count.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "core/safe/answers.hpp"
#include "core/safe/holder.hpp"
#include "core/timeline/timeline.hpp"

namespace snowid::core {

struct PreparedHolder {
    std::uint32_t xid;
    std::int64_t from;
};

// From when on a prepared transaction may have ids, by its row. One of an earlier incarnation has no row, and can have
// any. `first` is a number from this incarnation's beginning, before any transaction could have had ids.
template <typename Holds>
std::int64_t prepared_from(const Holder &row, std::uint32_t database, std::uint32_t xid, std::uint64_t next,
                           std::uint64_t first, const Holds &holds) {
    if (row.prepared() == xid) return row.earliest(database, holds);
    return whole_xid(xid, next) < first ? INT64_MIN : kNotHeld;
}

// `server` knows the clock, the rows, the prepared transactions of the database, and snapshots:
//     UnixNanos now();
//     std::int64_t earliest_held();                    // by a process
//     std::span<const PreparedHolder> prepared();      // that hold anything
//     void take_snapshot(Sample &to);                  // sorts the running ones
//     std::uint32_t next_xid();
template <typename Server>
void make_sample(Sample &to, Timeline &timeline, const Ticks &ticks, Server &server) {
    std::int64_t tick = ticks.tick_of(timeline.end_past_tick(ticks, server.now()) + 1);
    const auto stay_before = [&](std::int64_t from) {
        if (from != kNotHeld) tick = std::min(tick, ticks.at({from}));
    };
    stay_before(server.earliest_held());
    const std::span<const PreparedHolder> prepared = server.prepared();
    const std::uint32_t next = server.next_xid();
    server.take_snapshot(to);
    for (const PreparedHolder &holder : prepared)
        if (is_running(to.finished(), holder.xid, next)) stay_before(holder.from);
    to.horizon = ticks.floor(tick);
}

}  // namespace snowid::core
