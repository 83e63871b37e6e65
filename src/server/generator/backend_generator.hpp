// A generator as one backend sees it: its slot in shared memory, the record that it follows, and how far its horizon in
// this database lets this backend go. It can be the server's own or a named one, of any scheme.
//
// The position belongs to the slot. The limit belongs to the backend, which learns it from the horizon of its database.
// From the soft limit on, which is halfway, the backend tries to raise the horizon, and gives up at once if something
// is busy. It flushes that halfway through the rest. Mostly a commit or another backend has done so by then. At the
// hard limit it waits.
#pragma once

#include <algorithm>
#include <cstdint>

#include "server/horizon/horizon.hpp"
#include "server/memory/holders.hpp"
#include "server/session/generators.hpp"

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

class BackendGenerator : public SessionGenerator {
protected:
    using SessionGenerator::SessionGenerator;

    enum class For : std::uint8_t { ids, horizon };  // anyone may ask for the horizon

    // Records the time from which this transaction may have ids, before it takes a position. `now` is the clock that
    // the position will be taken by, too. REQUIRES: a timeline of snowflakes.
    void hold(core::UnixNanos now) {
        const core::UnixNanos from = slot_->timeline.earliest_next(horizon_.ticks, now);
        if (from.value >= held_from_ns_) return;
        held_from_ns_ = from.value;
        hold_horizon(horizon_.generator, from);
    }

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

    core::TickWindow tick_;  // of the last snowflake, up to the soft limit
    bool backfill_ = false;
    bool future_ = false;          // whether given times may be in the future
    bool asks_first_ = false;      // each id first asks whether it may be made; for backfill and granted generators
    bool follows_server_ = false;  // it has the server's number
    Limit limit_;
    GeneratorHorizon horizon_{};

private:
    bool attach(const GeneratorRecord &record, std::uint64_t changes);
    void keep_grants(const ArrayType *granted_to);
    bool believes_clock(IfBusy if_busy) const;
    void keep_near_clock(core::UnixNanos horizon) const;
    void extend_from(core::UnixNanos now, std::int64_t reserve_ns, std::uint64_t position, std::uint64_t seen,
                     IfBusy if_busy);
    void rely_on_raise(std::uint64_t position, IfBusy if_busy);
    core::UnixNanos within_tenure(core::UnixNanos horizon, std::uint64_t position, IfBusy if_busy) const;

    ArrayType *granted_to_ = nullptr;         // as in the record
    Raised raised_;                           // and not relied on yet; horizon 0: none
    bool is_cut_off_ = false;                 // when it looked its row up,
    core::UnixNanos known_{0};                // which was raised this far
    std::int64_t given_reserve_ns_ = 0;       // what was reserved last beyond a given time,
    std::int64_t issued_before_reserve_ = 0;  // and how many ids there were then
};

}  // namespace snowid::server
