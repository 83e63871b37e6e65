// What all backends of the server share. Every field is one atomic word, but for what the slots' lock guards.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/clock/watch.hpp"
#include "core/timeline/timeline.hpp"
#include "pg/prelude.hpp"
#include "server/random_state.hpp"
#include "server/slots.hpp"
#include "server/stat.hpp"

extern "C" {
#include "datatype/timestamp.h"
#include "storage/latch.h"
#include "storage/lwlock.h"
}

namespace snowid::server {

// How far the start of this incarnation has come: before the first id, the horizons of all databases must be known.
enum class Start : std::uint8_t { not_begun, reading, failed, ready };

// Where the server runs: what changes when its data are moved or copied. Written once, by the postmaster.
struct Identity {
    std::int64_t boot;
    std::int64_t server;
};

struct Shared {
    Slot slot;                                           // the default generator's: of all databases
    Slot sno_slot;                                       // that of snos
    alignas(64) std::atomic<std::uint64_t> worker_bits;  // the worker in force, where it stands in an id
    std::atomic<std::uint32_t> partition;                // the partition of snos in force

    alignas(64) core::ClockWatch clock;
    std::atomic<std::int64_t> behind_until_ns;  // until the clock says this, ids are ahead of it for a known reason
    std::atomic<std::int64_t> abandoned_ns;     // ids before this were made by generators that ROLLBACK took back
    std::atomic<Start> start;
    std::atomic<Oid> database_to_read;  // by the reader that was started last, if one could be
    std::atomic<Oid> database_read;     // by the reader that ended last
    std::atomic<Latch *> worker_latch;  // of the worker that stays
    std::atomic<bool> moved;            // another server's data, on the same WAL timeline
    Identity identity;

    alignas(64) ClockCounters clock_counters;
    LogLimiter regression_log;
    LogLimiter leap_log;
    LogLimiter refusal_log;
    LogLimiter behind_log;

    RandomState random;  // of the ids whose uniqueness is random

    core::Layout layout;                 // the server's: what the setting says later counts from its next start on
    std::atomic<TimestampTz> origin_at;  // when the configuration was read that worker_bits and partition are of
    std::atomic<bool> worker_asked;      // for the worker that stays, by a backend
    std::atomic<int> worker_pid;         // of that worker

    LWLock slots_lock;
    std::atomic<std::uint64_t> slot_changes;  // see slots.hpp
    int slot_count;
    Slot slots[];  // of named generators

    Slot &default_slot(Scheme scheme) noexcept { return scheme == Scheme::sno ? sno_slot : slot; }
};

extern Shared *shared;     // nullptr until this backend has it
extern bool is_preloaded;  // by the postmaster: all backends have it

void install_shmem_hooks();

bool can_share();  // whether this process has it, or could attach to it

// Makes it, or finds it, where the library was not preloaded; an error where PostgreSQL cannot.
void attach_shared();

// Makes settings.worker and settings.sno_partition the server's. Where the library was preloaded the postmaster does,
// which reads a changed configuration before any backend; else each backend, and what was read later counts.
void publish_origin();

}  // namespace snowid::server
