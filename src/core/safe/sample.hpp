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
#include <atomic>
#include <cstdint>
#include <span>
#include <utility>

#include "core/safe/answers.hpp"
#include "core/time.hpp"
#include "core/timeline/stretches.hpp"
#include "core/timeline/timeline.hpp"

namespace snowid::core {

// Holders of the safe horizon. Before a transaction takes its first id, it records the time from which it may have ids.
//
// A row belongs to one process, and the process's parallel workers write into it too. It holds a time for a generator.
// The time only falls until the transaction ends and the row is cleared. It is a time and not an id, so it stays true
// if the generator gets another layout.
//
// A row has room for a few generators, by their numbers. A transaction that uses more than that holds one time for all
// the others, and so holds back every generator from that time on.
//
// A process may also keep positions for later transactions: see core/timeline/stretches.hpp. Then a *word* says from
// which time on. A reader counts it like a hold, or revokes it once it is old, and then the process uses none of these
// positions. The process confirms the word by a compare-and-swap, after it holds what it is about to use. So a reader
// that revokes the word afterwards sees the hold, and one that has revoked it before is noticed.
//
// The time is stored with release. Then the position is taken by a compare-and-swap that releases. A reader acquires
// that position or a later one, and then reads the row. So it sees the time that was stored for that position, or a
// later state of the row.
inline constexpr std::int64_t kNotHeld = INT64_MAX;

// Written by its process. A reader only revokes what it says.
class Word {
public:
    bool is_free() const noexcept { return from_.load(std::memory_order_acquire) == kNotHeld; }
    void say(std::int64_t generator, std::int64_t from) noexcept {
        generator_.store(generator, std::memory_order_release);
        from_.store(from, std::memory_order_release);
    }
    // Whether it still said `from`, and from now on says `to`.
    bool change(std::int64_t from, std::int64_t to) noexcept {
        return from_.compare_exchange_strong(from, to, std::memory_order_acq_rel, std::memory_order_acquire);
    }
    void end() noexcept { from_.store(kNotHeld, std::memory_order_release); }

    // What it says of a generator for which holds(generator) is true, or kNotHeld. What it says of a time before
    // `old` is revoked.
    template <typename OfGenerator>
    std::int64_t read(const OfGenerator &holds, std::int64_t old) noexcept {
        if (is_free() || !holds(generator_.load(std::memory_order_acquire))) return kNotHeld;
        const std::int64_t from = from_.load(std::memory_order_acquire);
        if (from == kRevoked || (from < old && change(from, kRevoked))) return kNotHeld;
        return from;
    }

private:
    static constexpr std::int64_t kRevoked = INT64_MIN;

    std::atomic<std::int64_t> generator_{0};
    std::atomic<std::int64_t> from_{kNotHeld};
};

class alignas(64) Holder {
public:
    static constexpr int kPairs = 8;
    static constexpr int kWords = 4;

    // REQUIRES: called before a process holds anything.
    void belong_to(std::uint32_t database) noexcept { database_.store(database, std::memory_order_relaxed); }

    // The words of this process. An earlier one may have left some.
    std::span<Word, kWords> words() noexcept { return words_; }

    // Records that the transaction may have ids of the generator from this time on.
    void hold(std::int64_t generator, UnixNanos from) noexcept { lower(time_of(generator), from.value); }

    // REQUIRES: every snapshot taken from now on sees that the transaction and its workers have ended.
    void let_go() noexcept {
        for (int i = 0; i < kPairs; ++i) {
            if (pairs_[i].generator.load(std::memory_order_relaxed) == kNoGenerator) break;
            pairs_[i].from.store(kNotHeld, std::memory_order_release);
            pairs_[i].generator.store(kNoGenerator, std::memory_order_release);
        }
        others_.store(kNotHeld, std::memory_order_release);
    }

    // Copies the session's row into the row of a prepared transaction. REQUIRES: nobody else writes either row.
    void take_over(const Holder &from, std::uint32_t xid) noexcept {
        xid_.store(0, std::memory_order_release);
        database_.store(from.database(), std::memory_order_relaxed);
        for (int i = 0; i < kPairs; ++i) {
            pairs_[i].from.store(from.pairs_[i].from.load(std::memory_order_relaxed), std::memory_order_relaxed);
            pairs_[i].generator.store(from.pairs_[i].generator.load(std::memory_order_relaxed),
                                      std::memory_order_relaxed);
        }
        others_.store(from.others_.load(std::memory_order_relaxed), std::memory_order_relaxed);
        xid_.store(xid, std::memory_order_release);
    }

    // The first place is taken first.
    bool is_used() const noexcept { return pairs_[0].generator.load(std::memory_order_relaxed) != kNoGenerator; }
    std::uint32_t database() const noexcept { return database_.load(std::memory_order_relaxed); }
    std::uint32_t prepared() const noexcept { return xid_.load(std::memory_order_acquire); }  // its transaction, or 0

    // Calls see(generator, from) for each time in the row. kNoGenerator stands for all generators that have no place of
    // their own.
    template <typename See>
    void each(const See &see) const {
        if (!is_used()) return;
        for (const Pair &pair : pairs_) {
            const std::int64_t generator = pair.generator.load(std::memory_order_acquire);
            const std::int64_t from = pair.from.load(std::memory_order_acquire);
            if (from != kNotHeld) see(generator, from);
        }
        if (const std::int64_t from = others_.load(std::memory_order_acquire); from != kNotHeld)
            see(kNoGenerator, from);
    }

    // The earliest time in the row for a generator of the database for which holds(generator) is true, or kNotHeld. A
    // row that now belongs to another database has let go.
    template <typename OfGenerator>
    std::int64_t earliest(std::uint32_t of_database, const OfGenerator &holds) const {
        std::int64_t earliest = kNotHeld;
        if (database() != of_database) return earliest;
        each([&](std::int64_t generator, std::int64_t from) {
            if (from < earliest && (generator == kNoGenerator || holds(generator))) earliest = from;
        });
        return database() == of_database ? earliest : kNotHeld;
    }

    // The same for the words, of which those before `old` are revoked.
    template <typename OfGenerator>
    std::int64_t earliest_word(std::uint32_t of_database, const OfGenerator &holds, std::int64_t old) {
        std::int64_t earliest = kNotHeld;
        if (database() != of_database) return earliest;
        for (Word &word : words_) earliest = std::min(earliest, word.read(holds, old));
        return earliest;
    }

    static constexpr std::int64_t kNoGenerator = INT32_MIN;  // small enough for an operand

private:
    struct Pair {
        std::atomic<std::int64_t> generator{kNoGenerator};
        std::atomic<std::int64_t> from{kNotHeld};
    };

    // The leader and its workers may look for a place at the same time.
    std::atomic<std::int64_t> &time_of(std::int64_t generator) noexcept {
        for (int i = 0; i < kPairs; ++i) {
            std::int64_t known = pairs_[i].generator.load(std::memory_order_relaxed);
            if (known == kNoGenerator &&
                pairs_[i].generator.compare_exchange_strong(known, generator, std::memory_order_acq_rel))
                return pairs_[i].from;
            if (known == generator) return pairs_[i].from;
        }
        return others_;
    }

    static void lower(std::atomic<std::int64_t> &time, std::int64_t to) noexcept {
        std::int64_t known = time.load(std::memory_order_relaxed);
        while (known > to && !time.compare_exchange_weak(known, to, std::memory_order_release)) {
        }
    }

    std::atomic<std::uint32_t> database_{0};
    std::atomic<std::uint32_t> xid_{0};
    Pair pairs_[kPairs];
    std::atomic<std::int64_t> others_{kNotHeld};
    Word words_[kWords];
};

// What a process has said about one generator. A process without a row says it to nobody.
class OwnWord {
public:
    // Before positions of that time or later are taken by a compare-and-swap that releases. Returns false if the row
    // has no place for another word.
    bool say(Holder *row, std::int64_t generator, std::int64_t from) noexcept {
        if (row != nullptr && word_ == nullptr) {
            for (Word &word : row->words())
                if (word.is_free()) word_ = &word;
            if (word_ == nullptr) return false;
        }
        if (word_ != nullptr) word_->say(generator, from);
        from_ = from;
        return true;
    }
    std::int64_t from() const noexcept { return from_; }

    // To be asked after the transaction has held from(). If this is false, or that of follow(), nothing that was kept
    // may be used.
    bool stands() noexcept { return word_ == nullptr || word_->change(from_, from_); }
    // The oldest positions that are kept are now of this time. kNotHeld: there are none.
    bool follow(std::int64_t oldest) noexcept {
        if (oldest == from_) return true;
        if (oldest == kNotHeld) {
            end();
            return true;
        }
        const std::int64_t said = std::exchange(from_, oldest);
        return word_ == nullptr || word_->change(said, oldest);
    }
    void end() noexcept {
        if (word_ != nullptr) word_->end();
        word_ = nullptr;
        from_ = kNotHeld;
    }

private:
    Word *word_ = nullptr;
    std::int64_t from_ = kNotHeld;
};

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
