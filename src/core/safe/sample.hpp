// Making a sample: a safe horizon such that no more ids below it are taken, and no id below it is held by a transaction
// that the sample's snapshot does not see as finished. The order of the steps is the proof:
//
//  1. The timeline. Positions taken later have this tick or a later one. Those taken earlier were held before, by the
//     transaction that uses them, or by a word if they are kept for later transactions.
//  2. The words of processes. One that is older than positions are ever kept is revoked, because its process may sleep.
//  3. The holds of processes, after the words, because a word changes only after what it kept has been held and used. A
//     process that has let go since step 1 has left PostgreSQL's list of running transactions, or has handed over to a
//     prepared transaction.
//  4. The rows of prepared transactions. It is not known yet which of them still run.
//  5. A snapshot. Only the prepared transactions that are running in it count.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "core/safe/answers.hpp"
#include "core/safe/holder.hpp"
#include "core/timeline/stretches.hpp"
#include "core/timeline/timeline.hpp"

namespace snowid::core {

struct PreparedHolder {
    std::uint32_t xid;
    std::int64_t from;
};

// The time from which a prepared transaction may have ids, according to its row. A transaction from an earlier
// incarnation of the server has no row, and may have any ids. `first` is a transaction number from the beginning of
// this incarnation, before any transaction could have ids.
template <typename OfGenerator>
std::int64_t prepared_from(const Holder &row, std::uint32_t database, std::uint32_t xid, std::uint64_t next,
                           std::uint64_t first, const OfGenerator &holds) {
    if (row.prepared() == xid) return row.earliest(database, holds);
    return whole_xid(xid, next) < first ? INT64_MIN : kNotHeld;
}

// `server` knows the clock, the rows, the prepared transactions of the database, and snapshots:
//     UnixNanos now();
//     std::int64_t earliest_word(std::int64_t old);    // of a process; those before `old` are revoked
//     std::int64_t earliest_held();                    // by a process
//     std::span<const PreparedHolder> prepared();      // that hold anything
//     void take_snapshot(Sample &to);                  // sorts the running ones
//     std::uint32_t next_xid();
template <typename Server>
void make_sample(Sample &to, Timeline &timeline, const Ticks &ticks, Server &server) {
    const UnixNanos now = server.now();
    std::int64_t tick = ticks.tick_of(timeline.end_past_tick(ticks, now) + 1);
    const auto stay_before = [&](std::int64_t from) {
        if (from != kNotHeld) tick = std::min(tick, ticks.at({from}));
    };
    stay_before(server.earliest_word(now.value - ticks.tick_ns() - Stretches::kLongestNs));
    stay_before(server.earliest_held());
    const std::span<const PreparedHolder> prepared = server.prepared();
    const std::uint32_t next = server.next_xid();
    server.take_snapshot(to);
    for (const PreparedHolder &holder : prepared)
        if (is_running(to.finished(), holder.xid, next)) stay_before(holder.from);
    to.safe_horizon = ticks.floor(tick);
}

}  // namespace snowid::core
