// Generators of ids whose uniqueness rests on random bits. They work everywhere, even on standbys, because the state
// that backends share only orders and counts.
#pragma once

#include "core/timeline/stretches.hpp"
#include "pg/source/near_clock.hpp"
#include "server/shared/settings.hpp"
#include "server/shared/shared.hpp"

namespace snowid::server {

extern RandomState local_random_state;

inline RandomState &random_state() noexcept { return is_preloaded ? shared->random : local_random_state; }

std::uint64_t take_position_slowly();  // by the timeline's whole policy; may wait

// The next position of the timeline. It is greater than every earlier one in all backends that share the state.
inline std::uint64_t next_position() {
    const std::int64_t drift_ticks = core::Uuid7Ticks::in_ns(settings.clock_drift_ns());
    const std::uint64_t position = random_state().timeline.take_now(pg::near_clock.read(), drift_ticks);
    if (position == 0) [[unlikely]]
        return take_position_slowly();
    return position;
}

// Up to `want` positions for a batch, at least one.
core::Run next_positions(std::uint64_t want);

// Positions for ids that are spread: see core/timeline/stretches.hpp. Nothing is promised to the safe horizon, so
// nothing is held.
class RandomSpread {
public:
    std::uint64_t next() {
        if (!span_.holds(pg::near_clock.count())) [[unlikely]]
            enter();
        const std::uint64_t position = stretches_.take();
        if (position == 0) [[unlikely]]
            return next_slowly();
        return position;
    }
    void end_transaction() noexcept {
        span_ = {};
        is_spreading_ = false;
    }

private:
    void enter();
    std::uint64_t next_slowly();
    bool has_stretch();

    core::CountSpan span_, look_span_;  // as those of a SessionGenerator
    core::Stretches stretches_;
    bool is_spreading_ = false;
};

extern RandomSpread random_spread;

// The next count within a second. Waits for the next second if this one is used up. The verdict is make, or at_limit
// if the counter cannot hold the clock's time.
core::Count next_count(Counted of);
std::uint64_t next_backfilled_rsxid();

// How often positions may have started to repeat because the clock stepped back.
std::uint64_t steps_back();

// Random bits, the same for all backends that share the state. They differ by use, and by number within a use.
enum class SeedUse : std::uint64_t { sandflake_worker, rsxid_machine, rsxid_backfill };
std::uint64_t bits_of_seed(SeedUse use, std::uint64_t number);

}  // namespace snowid::server
