// The generators of ids whose uniqueness rests on random bits. They work everywhere, standbys included: what they share
// only orders and counts.
#pragma once

#include <cstdint>

#include "pg/near_clock.hpp"
#include "server/random_state.hpp"
#include "server/settings.hpp"
#include "server/shmem.hpp"

namespace snowid::server {

extern RandomState local_random_state;

inline RandomState &random_state() noexcept { return is_preloaded ? shared->random : local_random_state; }

inline std::int64_t drift_ns() noexcept { return settings.clock_drift_ms * core::kNanosPerMilli; }

std::uint64_t take_position_slowly();  // all of the timeline's policy: waits where it must

// The next position of the timeline: greater than every one before, in all backends that share the state.
inline std::uint64_t next_position() {
    const std::int64_t drift_ticks = core::Uuid7Ticks::in_ns(drift_ns());
    const std::uint64_t position = random_state().timeline.take_now(pg::near_clock.read(), drift_ticks);
    if (position == 0) [[unlikely]]
        return take_position_slowly();
    return position;
}

// Up to `want` of them for a batch, at least one.
core::Run next_positions(std::uint64_t want);

// The next count of one of the counters; waits for the next second where this one is used up. The verdict is issue, or
// at_limit: the clock is outside of the time that the counter holds.
core::Count next_count(core::SecondCounter &counter);

// Bits that are random but the same for all who share the state; others for every use, and for every number in it.
enum class OriginUse : std::uint64_t { sandflake_worker, rsxid_machine, rsxid_backfill };
std::uint64_t bits_of_origin(OriginUse use, std::uint64_t number);

}  // namespace snowid::server
