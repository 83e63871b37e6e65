// Times that come from the caller, for a generator that is made for them: they must not go back, nor ahead of the clock
// unless the generator allows that.
#pragma once

#include "server/durable/horizon_page.hpp"
#include "server/named/generator_record.hpp"
#include "server/shared/slot.hpp"

extern "C" {
#include "datatype/timestamp.h"
}

namespace snowid::server {

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

}  // namespace snowid::server
