// The state of the generators of random ids. It is in shared memory, or in each backend if the library was not loaded
// at the server's start. Nothing in it outlives the server, and it starts as zeroes.
//
//     timeline     orders uuidv7, ulid, ksuid and sandflake: one position is one id of any of them
//     counters     count objectid and rsxid within a second
//     seed         64 random bits that distinguish this state from every other; 0 until the first backend asks
//     steps_back   how often the timeline followed a clock back, and so may give out positions again
//     backfilled   counts the rsxids of given times
#pragma once

#include <atomic>
#include <cstdint>

#include "core/timeline/random_timeline.hpp"
#include "core/timeline/second_counter.hpp"

namespace snowid::server {

enum class Counted : std::uint8_t { objectid, rsxid };

struct RandomState {
    core::RandomTimeline timeline;
    core::SecondCounter counters[2];  // by Counted
    alignas(64) std::atomic<std::uint64_t> seed{0};
    std::atomic<std::uint64_t> steps_back{0};
    std::atomic<std::uint64_t> backfilled{0};

    core::SecondCounter &counter(Counted of) noexcept { return counters[static_cast<std::size_t>(of)]; }
};

}  // namespace snowid::server
