// What all backends of the server share. There are no locks: every field is one atomic word.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/gen/clock_watch.hpp"
#include "core/gen/timeline.hpp"
#include "pg/prelude.hpp"
#include "server/random_state.hpp"
#include "server/stat.hpp"

namespace snowid::server {

// How far the start of this incarnation has come: before the first id, the horizons of all databases must be known.
enum class Start : std::uint8_t { not_begun, reading, failed, ready };

// Where the server runs: what changes when its data are moved or copied. Written once, by the postmaster.
struct Identity {
    std::int64_t boot;
    std::int64_t server;
};

struct Shared {
    core::Timeline timeline;                             // the last position taken by any backend of any database
    alignas(64) std::atomic<std::uint64_t> worker_bits;  // the worker in force, where it stands in an id

    alignas(64) core::ClockWatch clock;
    std::atomic<std::int64_t> behind_until_ns;     // until the clock says this, ids are ahead of it for a known reason
    std::atomic<std::int64_t> highest_horizon_ns;  // of all that this incarnation has read or raised
    std::atomic<std::int64_t> start_ns;            // the horizon that it started from
    std::atomic<Start> start;
    std::atomic<Oid> database_read;  // by the reader that ended last
    std::atomic<bool> moved;         // another server's data, on the same WAL timeline
    Identity identity;

    alignas(64) Counters counters;
    LogLimiter regression_log;
    LogLimiter leap_log;
    LogLimiter refusal_log;

    RandomState random;  // of the ids whose uniqueness is random
};

extern Shared *shared;  // nullptr unless the library was preloaded

void install_shmem_hooks();
void publish_worker();  // makes settings.worker the server's

}  // namespace snowid::server
