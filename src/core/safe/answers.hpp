// The answers that a session gives for the safe horizon of one generator.
//
// A sample is a safe horizon and the set of transactions that had finished when it was made. The set includes every
// transaction that will ever commit ids below the safe horizon. So the sample is an answer for every snapshot that sees
// the whole set as finished. One snapshot always gets the same answer. Otherwise a statement that asks twice could skip
// rows in between.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

namespace snowid::core {

// Which transactions a snapshot sees as finished. Transaction numbers have 32 bits and wrap around.
struct Finished {
    std::uint32_t end;                       // neither this transaction nor any later one has finished
    std::span<const std::uint32_t> running;  // nor has any of these
};

constexpr bool precedes(std::uint32_t a, std::uint32_t b) noexcept { return static_cast<std::int32_t>(a - b) < 0; }

// Whether the snapshot sees everything as finished that an earlier snapshot did. The earlier one's running transactions
// are sorted by number.
inline bool sees_all(const Finished &snapshot, const Finished &sorted) noexcept {
    if (precedes(snapshot.end, sorted.end)) return false;
    return std::all_of(snapshot.running.begin(), snapshot.running.end(), [&](std::uint32_t xid) {
        return !precedes(xid, sorted.end) || std::binary_search(sorted.running.begin(), sorted.running.end(), xid);
    });
}

// Whether the transaction is still running. A prepared transaction may have ended long ago. Its number stays in its
// place, and may have been reused after a wraparound. `next` was read after `xid`.
inline bool is_running(const Finished &sorted, std::uint32_t xid, std::uint32_t next) noexcept {
    if (!precedes(xid, sorted.end)) return precedes(xid, next);
    return std::binary_search(sorted.running.begin(), sorted.running.end(), xid);
}

// The transaction's number counted since initdb, without wraparound. REQUIRES: it is one of the last 2^31 before
// `next`.
constexpr std::uint64_t whole_xid(std::uint32_t xid, std::uint64_t next) noexcept {
    return next - static_cast<std::uint32_t>(static_cast<std::uint32_t>(next) - xid);
}

struct Sample {
    std::uint64_t safe_horizon;
    std::uint32_t end;
    std::uint32_t count;
    std::uint32_t *running;  // sorted

    Finished finished() const noexcept { return {end, {running, count}}; }
};

class Answers {
public:
    static constexpr int kArrays = 3;

    // REQUIRES: memory for kArrays arrays, each with room for all transactions that can run at once.
    void use(std::uint32_t *memory, std::size_t most) noexcept {
        fresh_.running = memory;
        last_.running = memory + most;
        newest_.running = memory + 2 * most;
    }

    // The generator has changed. Answers already given to snapshots remain.
    void forget_sample() noexcept { has_last_ = false; }

    // Returns the safe horizon for the snapshot, or 0 if no safe horizon can be promised. Returns nothing if the
    // transaction may have forgotten its answer to this snapshot. `transaction` is never 0. sample(to) makes a new
    // sample, and may raise an error.
    template <typename MakeSample>
    std::optional<std::uint64_t> answer(std::uint32_t transaction, const Finished &snapshot, const MakeSample &sample) {
        if (transaction != transaction_) begin(transaction);
        const std::uint64_t print = print_of(snapshot);
        if (const Answer *known = find(snapshot.end, print)) return known->safe_horizon;
        if (is_forgotten(snapshot)) return std::nullopt;
        sample(fresh_);
        std::uint64_t safe_horizon = 0;
        if (sees_all(snapshot, fresh_.finished()))
            safe_horizon = fresh_.safe_horizon;
        else if (has_last_ && sees_all(snapshot, last_.finished()))
            safe_horizon = last_.safe_horizon;
        std::swap(fresh_, last_);
        has_last_ = true;
        keep({snapshot.end, print, safe_horizon}, snapshot);
        return safe_horizon;
    }

private:
    static constexpr std::uint32_t kKept = 16;

    struct Answer {
        std::uint32_t end;
        std::uint64_t print;
        std::uint64_t safe_horizon;
    };

    void begin(std::uint32_t transaction) noexcept {
        transaction_ = transaction;
        answered_ = 0;
    }

    const Answer *find(std::uint32_t end, std::uint64_t print) const noexcept {
        const Answer *past = answers_ + std::min(answered_, kKept);
        const Answer *known =
            std::find_if(answers_, past, [&](const Answer &a) { return a.end == end && a.print == print; });
        return known == past ? nullptr : known;
    }

    // After many snapshots, a transaction no longer remembers what it answered an old one.
    bool is_forgotten(const Finished &snapshot) const noexcept {
        return answered_ >= kKept && !sees_all(snapshot, newest_.finished());
    }

    void keep(const Answer &answer, const Finished &snapshot) noexcept {
        answers_[answered_ % kKept] = answer;
        if (answered_ == 0 || sees_all(snapshot, newest_.finished())) {
            newest_.end = snapshot.end;
            newest_.count = static_cast<std::uint32_t>(snapshot.running.size());
            std::copy(snapshot.running.begin(), snapshot.running.end(), newest_.running);
            std::sort(newest_.running, newest_.running + newest_.count);
        }
        answered_ = answered_ + 1 == 2 * kKept ? kKept : answered_ + 1;
    }

    static std::uint64_t print_of(const Finished &snapshot) noexcept {
        std::uint64_t print = snapshot.running.size();
        for (const std::uint32_t xid : snapshot.running) {
            print = (print ^ xid) * 0x9E37'79B9'7F4A'7C15;
            print ^= print >> 29;
        }
        return print;
    }

    Sample fresh_{}, last_{};
    Sample newest_{};  // the newest snapshot that got an answer; it has no safe horizon
    bool has_last_ = false;
    std::uint32_t transaction_ = 0;
    std::uint32_t answered_ = 0;
    Answer answers_[kKept];
};

}  // namespace snowid::core
