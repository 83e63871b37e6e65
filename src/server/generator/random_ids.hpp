// Generators of ids whose uniqueness rests on random bits. They work everywhere, even on standbys, because the state
// that backends share only orders and counts.
#pragma once

#include "core/id/time_field.hpp"
#include "core/timeline/stretches.hpp"
#include "pg/source/near_clock.hpp"
#include "pg/source/random.hpp"
#include "pg/type/arguments.hpp"
#include "pg/type/time_bounds.hpp"
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

// The generators of a wide type whose ids are unique by random bits. They have a position of the server's timeline, or
// a count within the second.

[[noreturn]] inline void out_of_time(const char *type_name, std::uint64_t position, core::UnixMicros first,
                                     core::UnixMicros last) {
    const core::UnixMicros t = core::MillisField::time_of(core::Uuid7Ticks::ms_of(position));
    pg::raise_time_out_of_range(type_name, pg::to_timestamptz(t), first, last);
}

// Specialised for a type whose ids need more than a position and random bytes.
template <pg::WideType Id>
core::Status fill(std::uint64_t position, Id &id) {
    return from_position(position, pg::random_bytes<Id::kRandomSize>(), id);
}

template <pg::WideType Id>
Datum id_of_position(std::uint64_t position) {
    Id id{};
    if (fill(position, id) != core::Status::ok) [[unlikely]]
        out_of_time(pg::kTypeName<Id>, position, Id::Time::first(), Id::Time::last());
    return pg::to_datum(id);
}

template <pg::WideType Id>
Datum next_of_timeline() {
    return id_of_position<Id>(next_position());
}

template <pg::WideType Id>
Datum next_spread() {
    return id_of_position<Id>(random_spread.next());
}

template <pg::WideType Id>
struct TimelineBatch {
    core::Run run;

    Datum next(std::uint64_t left) {
        if (run.count == 0) run = next_positions(left);
        --run.count;
        return id_of_position<Id>(run.first++);
    }
};

// The position of a time that comes from the caller. Such times may come in any order.
template <pg::WideType Id>
std::uint64_t position_argument(FunctionCallInfo fcinfo, int n) {
    std::uint64_t position = 0;
    if (core::Uuid7Ticks::position_of(pg::time_argument<Id>(fcinfo, n), position) != core::Status::ok)
        pg::raise_time<Id>(PG_GETARG_TIMESTAMPTZ(n));
    return position;
}

// T_at(timestamptz).
template <pg::WideType Id>
Datum next_at(FunctionCallInfo fcinfo) {
    return id_of_position<Id>(position_argument<Id>(fcinfo, 0));
}

// The next count. Raises an error if the type cannot hold the clock's time.
template <pg::WideType Id>
core::Count next_count_in_time(Counted of) {
    const core::Count count = next_count(of);
    if (count.verdict != core::Verdict::make) [[unlikely]]
        pg::raise_time<Id>(pg::to_timestamptz(pg::wall_clock_micros()));
    return count;
}

template <auto next_id>
struct CountedBatch {
    Datum next(std::uint64_t) { return pg::to_datum(next_id()); }
};

}  // namespace snowid::server
