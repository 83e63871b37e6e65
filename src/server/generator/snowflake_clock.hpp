// The clock as snowflakes need it: how far a generator's ids may be ahead of it under the present settings, and what
// callers are told if it is too far behind.
#pragma once

#include "core/clock/policy.hpp"
#include "core/clock/ticks.hpp"
#include "core/layout/layout.hpp"
#include "core/timeline/horizon.hpp"
#include "server/shared/slot.hpp"

namespace snowid::server {

// The clock policy of one generator, and what a start adds to it.
struct SnowflakePolicy {
    core::ClockPolicy steady;
    std::int64_t start_lead_ns;  // see core/timeline/horizon.hpp
    std::int64_t tick_ns;

    static SnowflakePolicy of(const core::Ticks &ticks);  // under the present settings

    // An incarnation starts up to a reserve ahead of where the last one stopped, and the clock may have been set back
    // in the meantime.
    core::ClockPolicy at(core::UnixNanos now, const Slot &slot) const noexcept {
        const std::int64_t until_start = slot.start_ns.load(std::memory_order_relaxed) - now.value;
        return steady.with_more_drift(core::start_allowance_ns(start_lead_ns, until_start) / tick_ns);
    }
};

// The clock is `ahead` ticks behind the next position.
[[noreturn]] void raise_clock_behind(const core::Layout &layout, const core::Ticks &ticks, std::uint64_t position,
                                     std::int64_t ahead);

// The layout has no later times.
[[noreturn]] void raise_ended(Slot &slot, const core::Layout &layout);

// For what else is done by the clock and cannot be taken back. Returns the time, or raises the error that the server's
// own snowflakes get for its clock. Like an id, the caller believes the clock.
core::UnixNanos require_clock();

}  // namespace snowid::server
