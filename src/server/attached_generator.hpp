// A generator as one backend sees it, the server's default one or a named one, whatever its ids are: its slot in shared
// memory, the record that it goes by, and how far its horizon in this database lets this backend go.
//
// The position is the slot's, the limit is the backend's own, learned from the horizon of its database. From the soft
// limit on, halfway, the backend tries to raise the horizon, and gives up at once where that means waiting; at the
// limit it waits for it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "core/clock/ticks.hpp"
#include "core/time.hpp"
#include "pg/near_clock.hpp"
#include "server/horizon.hpp"
#include "server/slots.hpp"

extern "C" {
#include "datatype/timestamp.h"
}

namespace snowid::server {

struct GeneratorRecord;

// How far this backend may go, in positions or units.
template <typename Position>
struct Limit {
    Position soft = 0;
    Position hard = 0;

    void raise(Position to, Position at) noexcept {
        hard = std::max(hard, to);
        soft = hard > at ? at + (hard - at) / 2 : hard;
    }
    void ask_at_the_end() noexcept { soft = hard; }
};

class AttachedGenerator {
public:
    // Before the next id everything is worked out anew.
    void forget() noexcept {
        ready_ = false;
        leave_tick();
    }
    void leave() noexcept;  // gives up the slot as well
    bool is_ready() const noexcept { return ready_; }
    void count_issued() noexcept;  // tells the server's counter what this backend has issued since the last time

    bool is_named(std::string_view name) const noexcept { return name == std::string_view(name_, name_size_); }
    Scheme scheme() const noexcept { return scheme_; }
    AttachedGenerator *next_named = nullptr;  // in this backend's list

protected:
    constexpr explicit AttachedGenerator(Scheme scheme) noexcept : scheme_(scheme) {}
    AttachedGenerator(Scheme scheme, std::string_view name) noexcept;  // REQUIRES: shorter than NAMEDATALEN

    bool is_default() const noexcept { return name_size_ == 0; }
    bool has_changed() const noexcept { return slot_->version.load(std::memory_order_acquire) != version_; }

    void attach_default(Slot &slot, const HorizonHolder &horizon);
    GeneratorRecord attach_named();

    // Whether ids may be reserved by the clock as it is: an error where it has leapt, if there is patience.
    bool believes_clock(Patience patience) const;
    // Returns when the clock has reached the instant, or when the time that it was away has passed: a clock that is set
    // back meanwhile makes nobody wait longer.
    void wait_until(core::UnixNanos due, bool is_ahead) const;
    // A time given by hand, which must not be before the last one.
    core::UnixNanos given_time(TimestampTz time, const char *type, core::UnixMicros first, core::UnixMicros last) const;

    void require_current_times() const;
    void require_given_times() const;
    void count_refusal(const char *why) const;

    void leave_tick() noexcept { tick_span_ = {}; }

    pg::CountSpan tick_span_;  // in which the tick is the current one
    core::TickWindow tick_;    // of the last snowflake, up to the soft limit
    Slot *slot_ = nullptr;
    std::uint64_t version_ = 0;  // of the slot
    std::int64_t issued_ = 0;
    bool ready_ = false;
    bool backfill_ = false;
    Scheme scheme_;
    HorizonHolder horizon_{};

private:
    bool attach(const GeneratorRecord &record, std::uint64_t changes);

    std::size_t name_size_ = 0;
    char name_[NAMEDATALEN] = {};
};

std::int64_t reserve_ns();

void count_all_issued() noexcept;
void forget_all() noexcept;  // what every generator of this backend has worked out

// Those that this backend knows by name. They stay: statements point to them.
AttachedGenerator *find_named(Scheme scheme, std::string_view name);
void *memory_for_named(Scheme scheme, std::string_view name, std::size_t size);  // an error where there is none
void add_named(AttachedGenerator &made);

template <typename Kind>
Kind &named_generator(std::string_view name) {
    if (AttachedGenerator *known = find_named(Kind::kScheme, name)) return static_cast<Kind &>(*known);
    auto *made = new (memory_for_named(Kind::kScheme, name, sizeof(Kind))) Kind(name);
    add_named(*made);
    return *made;
}

}  // namespace snowid::server
