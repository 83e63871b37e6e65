// A generator whose ids stay below a durable horizon: the server's own or a named one, of any scheme. It follows its
// record, and its slot has the timeline that all sessions share.
#pragma once

#include "server/durable/horizon.hpp"
#include "server/durable/horizon_page.hpp"
#include "server/generator/generators.hpp"
#include "server/named/generator_record.hpp"
#include "server/shared/slot.hpp"

extern "C" {
#include "datatype/timestamp.h"
#include "utils/array.h"
}

namespace snowid::server {

// Times that come from the caller, for a generator that is made for them: they must not go back, nor ahead of the clock
// unless the generator allows that.

class GivenTimes {
public:
    void begin(const char *generator, const GeneratorRecord &record, const HorizonRow &row);

    bool are_given() const noexcept { return are_given_; }

    // Raise an error unless the generator is made for such times.
    void require() const;
    void refuse(Scheme scheme) const;

    // The last time that the slot's generator was given, from now on. `type` is for an error.
    core::UnixNanos give(Slot &slot, TimestampTz time, const char *type, core::UnixMicros first,
                         core::UnixMicros last) const;

    // How much to reserve beyond the given time; once for each reserve.
    std::int64_t next_reserve_ns(const Slot &slot, core::UnixNanos given);

    // Waits until the horizon may be advanced that far. Raises an error if that would take too long.
    void keep_near_clock(Slot &slot, const core::Ticks &ticks, core::UnixNanos horizon) const;

    void note_durable() noexcept { is_cut_off_ = false; }  // the row has been advanced

private:
    const char *generator_ = "";
    bool are_given_ = false;
    bool future_ = false;                     // whether they may be in the future
    bool is_cut_off_ = false;                 // see named/claims.hpp
    core::UnixNanos known_{0};                // how far its row was, then
    std::int64_t reserve_ns_ = 0;             // what was reserved last beyond a given time,
    std::int64_t issued_before_reserve_ = 0;  // and how many ids there were then
};

// How far this session may take positions of a generator. What it has learned from the durable horizon of its database
// is its own, and it asks again before its ids would pass that.
//
// From the soft limit on, which is where half of the reserve is left, it tries to advance the horizon. It gives up at
// once if something is busy, and tries again halfway through the rest. There it flushes what it has advanced: mostly a
// commit or another session has done so by then. If there may be a standby it flushes at once: then a standby that lags
// by less than half of the reserve knows a horizon above all ids. At the hard limit it waits.

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

class DurableGenerator : public SessionGenerator {
protected:
    using SessionGenerator::SessionGenerator;

    enum class For : std::uint8_t { ids, safe_horizon };  // anyone may ask for the safe horizon

    // Take a slot, after which nothing is reserved.
    void attach_default();
    GeneratorRecord attach_named(For purpose);

    // Raise an error unless the current user, who may be a different one from before, may have such an id.
    void require_ids_of_now() const;
    void require_ids_of_given_times() const;

    void extend(const WantedPosition &wanted, IfBusy if_busy);
    void extend_given(core::UnixNanos given, const WantedPosition &wanted);

    Reserve reserve_;
    GivenTimes given_;
    bool asks_first_ = false;  // each id first asks whether it may be made

private:
    bool attach(const GeneratorRecord &record, std::uint64_t changes);
    void require_usage() const;
    void keep_grants(const ArrayType *granted_to);

    ArrayType *granted_to_ = nullptr;  // as in the record
};

}  // namespace snowid::server
