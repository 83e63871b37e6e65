// The generators that this session has used, and what the end of a transaction does with them.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/safe/holder.hpp"
#include "pg/source/near_clock.hpp"
#include "server/memory/slot.hpp"

namespace snowid::server {

struct GeneratorRecord;

struct GeneratorName {
    Scheme scheme;
    std::size_t size = 0;  // 0: the server's own generator of the scheme
    char text[NAMEDATALEN] = {};
};

// A generator as this session uses it: its slot in shared memory, and what the transaction has had of it.
class SessionGenerator {
public:
    Scheme scheme() const noexcept { return name_.scheme; }
    std::string_view name() const noexcept { return {name_.text, name_.size}; }
    bool is_default() const noexcept { return name_.size == 0; }

    // Everything is worked out again before the next id.
    void forget() noexcept {
        ready_ = takes_part_ = false;
        leave_tick();
    }
    void leave() noexcept;            // leaves the slot as well
    bool leave_if_unused() noexcept;  // if this transaction has not used it; returns whether it left
    void count_issued() noexcept;     // adds what was issued since the last call to the slot's counter
    void end_transaction(bool is_crowded) noexcept;

    SessionGenerator *next_listed = nullptr;  // of all that this session has used
    SessionGenerator *next_taking_part = nullptr;
    bool is_listed = false;
    bool is_taking_part = false;  // it is in the list of those that this transaction has used

protected:
    constexpr explicit SessionGenerator(Scheme scheme) noexcept : name_{scheme} {}
    SessionGenerator(Scheme scheme, std::string_view name) noexcept;  // REQUIRES: shorter than NAMEDATALEN

    // Comes before anything that the end of the transaction must look after.
    void take_part() noexcept;
    bool has_changed() const noexcept { return slot_->version.load(std::memory_order_acquire) != version_; }
    void leave_tick() noexcept { tick_span_ = {}; }

    // The range of the processor's counter in which the tick is the current one. Empty unless this transaction already
    // holds the watermark from this tick or an earlier one.
    core::CountSpan tick_span_;
    Slot *slot_ = nullptr;
    std::uint64_t version_ = 0;                   // of the slot
    std::int64_t held_from_ns_ = core::kNotHeld;  // what this transaction has recorded
    std::int64_t issued_ = 0;                     // and not counted yet
    bool ready_ = false;
    bool takes_part_ = false;      // it is ready, and the end of this transaction will look after it
    bool is_uncommitted_ = false;  // its record was written by this transaction
    bool is_used_ = false;         // by this transaction, judged by the issued ids counted so far
    GeneratorName name_;
};

void forget_all() noexcept;  // forgets what every generator has worked out
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

}  // namespace snowid::server
