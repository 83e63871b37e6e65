// How far this session may take positions of a generator. What it has learned from the durable horizon of its database
// is its own, and it asks again before its ids would pass that.
//
// From the soft limit on, which is where half of the reserve is left, it tries to advance the horizon. It gives up at
// once if something is busy, and tries again halfway through the rest. There it flushes what it has advanced: mostly a
// commit or another session has done so by then. If there may be a standby it flushes at once: then a standby that lags
// by less than half of the reserve knows a horizon above all ids. At the hard limit it waits.
#pragma once

#include "server/durable/horizon.hpp"

namespace snowid::server {

// A position that cannot be taken yet, or not for much longer.
struct WantedPosition {
    std::uint64_t position;
    core::UnixNanos end;  // of its tick
    std::uint64_t seen;   // the timeline's state when the position was wanted
};

class Reserve {
public:
    // Nothing is reserved yet. If the record is not committed, the server's own horizon covers the ids as well.
    void begin(const GeneratorHorizon &of, bool follows_server, bool is_uncommitted) noexcept;

    const core::Ticks &ticks() const noexcept { return horizon_.ticks; }
    std::int64_t generator() const noexcept { return horizon_.generator; }
    std::uint64_t soft_limit() const noexcept { return soft_; }
    std::uint64_t hard_limit() const noexcept { return hard_; }

    core::HorizonGoal goal(core::UnixNanos now, core::UnixNanos end, std::int64_t reserve_ns) const noexcept {
        return core::horizon_goal(now, end, margin_ns_, reserve_ns);
    }

    // Makes sure that ids up to the position may be made, by the clock or to a goal, and learns how far this session
    // may go from there. The hard limit stays as it is if we give up because something is busy or the clock has leapt.
    void extend(const WantedPosition &wanted, IfBusy if_busy);
    void extend_to(const core::HorizonGoal &goal, const WantedPosition &wanted, IfBusy if_busy);

private:
    void rely_on_advance(std::uint64_t position);

    GeneratorHorizon horizon_{};
    Advance advance_{Advance::busy};  // of the horizon, and not relied on yet
    XLogRecPtr wal_end_ = InvalidXLogRecPtr;
    std::uint64_t soft_ = 0, hard_ = 0;
    std::int64_t margin_ns_ = 0;
    bool follows_server_ = false;  // so that its ids end with the server's tenure
    bool is_uncommitted_ = false;
};

}  // namespace snowid::server
