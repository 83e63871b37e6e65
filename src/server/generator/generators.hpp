// The generators that this session has used: finding them by name, and what happens to all of them.
#pragma once

#include "core/timeline/stretches.hpp"
#include "pg/source/near_clock.hpp"
#include "pg/type/arguments.hpp"
#include "server/safe/holders.hpp"
#include "server/shared/slot.hpp"

namespace snowid::server {

// A generator as a session uses it: its slot in shared memory, and what the transaction has had of it.
class SessionGenerator;

// Since the last transaction's end, so some may have slots to leave. True at first.
extern constinit bool any_has_forgotten;

struct GeneratorName {
    Scheme scheme;
    std::size_t size = 0;  // 0: the server's own generator of the scheme
    char text[NAMEDATALEN] = {};
};

// Its place in a list of generators, which has it at most once.
struct GeneratorLink {
    bool is_listed = false;
    SessionGenerator *next = nullptr;
};

// A generator of one session. It holds its slot from its first id until the slot is of no more use to it, and takes
// part in the end of each transaction that uses it. Its scheme's own class makes the ids.
class SessionGenerator {
public:
    Scheme scheme() const noexcept { return name_.scheme; }
    std::string_view name() const noexcept { return {name_.text, name_.size}; }
    bool is_default() const noexcept { return name_.size == 0; }

    // Everything is worked out again before the next id.
    void forget() noexcept {
        ready_ = takes_part_ = false;
        any_has_forgotten = true;
        leave_tick();
        drop_stretches();
    }
    void leave() noexcept;                        // leaves the slot as well
    bool leave_if_unused() noexcept;              // if this transaction has not used it; returns whether it left
    void count_issued() noexcept;                 // adds what was made since the last call to the slot's counter
    void leave_at_end(bool is_crowded) noexcept;  // if the slot is of no more use
    void end_transaction() noexcept;

    GeneratorLink in_session;      // among all that this session has used
    GeneratorLink in_transaction;  // among those whose transaction this is

protected:
    constexpr explicit SessionGenerator(Scheme scheme) noexcept : name_{scheme} {}
    SessionGenerator(Scheme scheme, std::string_view name) noexcept;  // REQUIRES: shorter than NAMEDATALEN

    // Comes before anything that the end of the transaction must look after.
    inline void take_part() noexcept;
    bool has_changed() const noexcept { return slot_->version.load(std::memory_order_acquire) != version_; }
    // The next id enters a tick first.
    void leave_tick() noexcept {
        count_issued();
        tick_span_ = {};
        stretch_span_ = {};
    }

    void count_skipped(std::uint64_t positions) noexcept {
        if (positions != 0) count(slot_->counters.skipped, static_cast<std::int64_t>(positions));
    }
    void drop_stretches() noexcept {
        count_skipped(stretches_.drop());
        word_.end();
    }

    // The range of the processor's counter in which the tick is the current one. Empty unless this transaction already
    // holds the safe horizon from this tick or an earlier one.
    core::CountSpan tick_span_;

    // What this session keeps for ids that are spread, and the word that says so. The span is that in which a position
    // may be used without a look at the clock. It is empty until this transaction has held what earlier ones kept.
    core::CountSpan stretch_span_, look_span_;
    core::Stretches stretches_;
    core::OwnWord word_;
    bool is_spreading_ = false;  // in this transaction

    Slot *slot_ = nullptr;
    std::uint64_t version_ = 0;  // of the slot
    Hold hold_;                  // of this transaction, on the safe horizon
    std::int64_t issued_ = 0;    // and not counted yet
    bool ready_ = false;
    bool takes_part_ = false;      // it is ready, and the end of this transaction will look after it
    bool is_uncommitted_ = false;  // its record was written by this transaction, which has forgotten what was before
    bool is_used_ = false;         // by this transaction, judged by how many ids were counted so far
    GeneratorName name_;
};

// A list of generators, linked through one of their members.
template <GeneratorLink SessionGenerator::*kLink>
class GeneratorList {
public:
    void add(SessionGenerator &generator) noexcept {
        if ((generator.*kLink).is_listed) return;
        generator.*kLink = {true, first_};
        first_ = &generator;
    }
    bool is_empty() const noexcept { return first_ == nullptr; }
    template <typename Visit>
    void take_all(Visit visit) {
        for (SessionGenerator *g = std::exchange(first_, nullptr); g != nullptr; g = (g->*kLink).next) {
            (g->*kLink).is_listed = false;
            visit(*g);
        }
    }
    template <typename Visit>
    void for_each(Visit visit) const {
        for (SessionGenerator *g = first_; g != nullptr; g = (g->*kLink).next) visit(*g);
    }

private:
    SessionGenerator *first_ = nullptr;
};

// Those that this transaction has used.
extern constinit GeneratorList<&SessionGenerator::in_transaction> generators_of_transaction;

inline void SessionGenerator::take_part() noexcept {
    takes_part_ = true;
    generators_of_transaction.add(*this);
}

struct GeneratorRecord;

void watch_transactions();  // before this process's first generator at the latest

void count_all_issued() noexcept;
bool leave_unused() noexcept;  // returns whether any slot was left

// From now on, the generator takes part in what happens to all.
void list_generator(SessionGenerator &generator);

// Named generators are never freed, because statements point to them.
SessionGenerator *find_named(Scheme scheme, std::string_view name);
void *memory_for_named(Scheme scheme, std::string_view name, std::size_t size);  // error: no such generator
void add_named(SessionGenerator &made);

// The record of that name, and how many changes of slots there were before it was read. Where the same command has just
// made the memory, the record is the one that it found.
GeneratorRecord look_up_again(std::string_view name, std::uint64_t &changes);

template <typename Kind>
Kind &named_generator(std::string_view name) {
    if (SessionGenerator *known = find_named(Kind::kScheme, name)) return static_cast<Kind &>(*known);
    auto *made = new (memory_for_named(Kind::kScheme, name, sizeof(Kind))) Kind(name);
    add_named(*made);
    return *made;
}

// The name of a generator as an argument of an SQL function. A call that passes the same name every time finds the
// generator in its FmgrInfo. NULL is an error, because a default that returns NULL would be noticed only by its rows.
template <typename Kind>
Kind &generator_argument(FunctionCallInfo fcinfo, int n) {
    pg::require_argument(fcinfo, n, "the name of a generator");
    const std::string_view name = pg::text_argument(fcinfo, n);
    auto *known = static_cast<Kind *>(fcinfo->flinfo->fn_extra);
    if (known == nullptr || known->name() != name) [[unlikely]]
        fcinfo->flinfo->fn_extra = known = &named_generator<Kind>(name);
    return *known;
}

}  // namespace snowid::server
