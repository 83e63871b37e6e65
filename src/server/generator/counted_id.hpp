// The generators of a wide type whose ids count within a second.
#pragma once

#include "pg/batch.hpp"
#include "pg/source/random.hpp"
#include "pg/type/arguments.hpp"
#include "pg/type/time.hpp"
#include "server/generator/random_ids.hpp"

namespace snowid::server {

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
