// The generators of a wide type whose ids are unique by random bits. They have a position of the server's timeline, or
// a count within the second.
#pragma once

#include "pg/batch.hpp"
#include "pg/source/random.hpp"
#include "pg/type/arguments.hpp"
#include "pg/type/time.hpp"
#include "server/generator/random_ids.hpp"

namespace snowid::server {

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
