// What the generators of random ids keep: in shared memory, or, where the library was not loaded at the server's start,
// in each backend for itself. Nothing in it outlives the server; zeroes are its start.
//
//     timeline     orders uuidv7, ulid, ksuid and sandflake: one position is one id of any of them
//     objectids    counts objectid within a second
//     rsxids       counts rsxid within a second
//     origin       64 random bits that tell this state from every other; 0 until the first backend asks
//     steps_back   how often the timeline followed a clock back, and so may give out positions again
//     backfilled   counts the rsxids that were dated by hand
#pragma once

#include <atomic>
#include <cstdint>

#include "core/timeline/random_timeline.hpp"
#include "core/timeline/second_counter.hpp"

namespace snowid::server {

struct RandomState {
    core::RandomTimeline timeline;
    core::SecondCounter objectids;
    core::SecondCounter rsxids;
    alignas(64) std::atomic<std::uint64_t> origin{0};
    std::atomic<std::uint64_t> steps_back{0};
    std::atomic<std::uint64_t> backfilled{0};
};

}  // namespace snowid::server
