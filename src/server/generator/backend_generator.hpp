// A generator as one backend sees it: its slot in shared memory, the record that it follows, and how far its horizon in
// this database lets this backend go. It can be the server's own or a named one, of any scheme.
//
// The position belongs to the slot. The limit belongs to the backend, which learns it from the horizon of its database.
// From the soft limit on, which is halfway, the backend tries to raise the horizon, and gives up at once if something
// is busy. At the hard limit it waits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "pg/source/near_clock.hpp"
#include "server/horizon/horizon.hpp"
#include "server/memory/holders.hpp"

extern "C" {
#include "datatype/timestamp.h"
#include "utils/array.h"
}

namespace snowid::server {

struct GeneratorRecord;

// How far this backend may go, in positions of the timeline.
struct Limit {
    std::uint64_t soft = 0;
    std::uint64_t hard = 0;

    void raise(std::uint64_t to, std::uint64_t at) noexcept {
        hard = std::max(hard, to);
        soft = hard > at ? at + (hard - at) / 2 : hard;
    }
    void ask_at_the_end() noexcept { soft = hard; }
};

class BackendGenerator {
public:
    // Everything is worked out again before the next id.
    void forget() noexcept {
        ready_ = false;
        leave_tick();
    }
    void forget_if_uncommitted() noexcept {
        if (is_uncommitted_) forget();
    }
    void leave() noexcept;            // leaves the slot as well
    bool leave_if_unused() noexcept;  // if this transaction has not used it; returns whether it left
    void begin_transaction() noexcept {
        is_used_ = false;
        held_from_ns_ = core::kNotHeld;
        leave_tick();
    }
    bool is_ready() const noexcept { return ready_; }
    void count_issued() noexcept;  // adds what this backend has issued since the last call to the slot's counter

    bool is_named(std::string_view name) const noexcept { return name == std::string_view(name_, name_size_); }
    bool is_default() const noexcept { return name_size_ == 0; }
    Scheme scheme() const noexcept { return scheme_; }
    BackendGenerator *next_listed = nullptr;  // in the list of all that this backend has used
    bool is_listed = false;

protected:
    constexpr explicit BackendGenerator(Scheme scheme) noexcept : scheme_(scheme) {}
    BackendGenerator(Scheme scheme, std::string_view name) noexcept;  // REQUIRES: shorter than NAMEDATALEN

    enum class For : std::uint8_t { ids, horizon };  // anyone may ask for the horizon

    // Records the time from which this transaction may have ids, before it takes a position. `now` is the clock that
    // the position will be taken by, too. REQUIRES: a timeline of snowflakes.
    void hold(core::UnixNanos now) {
        const core::UnixNanos from = slot_->timeline.earliest_next(horizon_.ticks, now);
        if (from.value >= held_from_ns_) return;
        held_from_ns_ = from.value;
        hold_horizon(horizon_.generator, from);
    }

    bool has_changed() const noexcept { return slot_->version.load(std::memory_order_acquire) != version_; }

    void attach_default();
    GeneratorRecord attach_named(For purpose);

    // Makes sure that ids up to `position` may be issued, and learns how far this backend may go from here. `seen` is
    // the timeline's state when the position was wanted. The limit stays as it is if we give up because something is
    // busy or the clock has leapt.
    void extend(std::uint64_t position, std::uint64_t seen, IfBusy if_busy);
    // The same with a given time in place of the clock's.
    void extend_given(core::UnixNanos given, std::uint64_t position, std::uint64_t seen);

    // Returns when the clock has reached the instant, or when as much time has passed as it was away. So nobody waits
    // longer if the clock is set back meanwhile.
    void wait_until(core::UnixNanos due, bool is_ahead) const;
    // A time that comes from the caller. It must not be before the last one, nor ahead of the clock unless the
    // generator allows that.
    core::UnixNanos given_time(TimestampTz time, const char *type, core::UnixMicros first, core::UnixMicros last) const;

    void require_usage() const;
    void require_current_times() const;
    void require_given_times() const;
    void count_refusal(const char *why) const;

    void leave_tick() noexcept { tick_span_ = {}; }

    // The range of the processor's counter in which the tick is the current one. Empty unless this transaction already
    // holds the safe horizon from this tick or an earlier one.
    core::CountSpan tick_span_;
    core::TickWindow tick_;  // of the last snowflake, up to the soft limit
    Slot *slot_ = nullptr;
    std::uint64_t version_ = 0;                   // of the slot
    std::int64_t held_from_ns_ = core::kNotHeld;  // what this transaction has recorded
    std::int64_t issued_ = 0;
    bool ready_ = false;
    bool backfill_ = false;
    bool future_ = false;          // whether given times may be in the future
    bool asks_first_ = false;      // each id first asks whether it may be made; for backfill and granted generators
    bool is_uncommitted_ = false;  // its record was written by this transaction
    bool follows_server_ = false;  // it has the server's number
    bool is_used_ = false;         // by this transaction, judged by the issued ids counted so far
    Scheme scheme_;
    Limit limit_;
    GeneratorHorizon horizon_{};

private:
    bool attach(const GeneratorRecord &record, std::uint64_t changes);
    void keep_grants(const ArrayType *granted_to);
    bool believes_clock(IfBusy if_busy) const;
    void keep_near_clock(core::UnixNanos horizon) const;
    void extend_from(core::UnixNanos now, std::int64_t reserve_ns, std::uint64_t position, std::uint64_t seen,
                     IfBusy if_busy);
    core::UnixNanos within_tenure(core::UnixNanos horizon, std::uint64_t position, IfBusy if_busy) const;

    ArrayType *granted_to_ = nullptr;         // as in the record
    bool is_cut_off_ = false;                 // when it looked its row up,
    core::UnixNanos known_{0};                // which was raised this far
    std::int64_t given_reserve_ns_ = 0;       // what was reserved last beyond a given time,
    std::int64_t issued_before_reserve_ = 0;  // and how many ids there were then
    std::size_t name_size_ = 0;
    char name_[NAMEDATALEN] = {};
};

void count_all_issued() noexcept;
void forget_all() noexcept;  // forgets what every generator of this backend has worked out

// Generators that this backend knows by name. They are never freed, because statements point to them.
BackendGenerator *find_named(Scheme scheme, std::string_view name);
void *memory_for_named(Scheme scheme, std::string_view name, std::size_t size);  // error: no such generator
void add_named(BackendGenerator &made, std::string_view name);

template <typename Kind>
Kind &named_generator(std::string_view name) {
    if (BackendGenerator *known = find_named(Kind::kScheme, name)) return static_cast<Kind &>(*known);
    auto *made = new (memory_for_named(Kind::kScheme, name, sizeof(Kind))) Kind(name);
    add_named(*made, name);
    return *made;
}

}  // namespace snowid::server
