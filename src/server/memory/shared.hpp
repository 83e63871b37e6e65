// What all backends of the server share. Every field is one atomic word, except those that the slots' lock guards.
#pragma once

#include <atomic>
#include <cstdint>
#include <iterator>

#include "core/clock/watch.hpp"
#include "pg/prelude.hpp"
#include "server/memory/random_state.hpp"
#include "server/memory/slot.hpp"

extern "C" {
#include "datatype/timestamp.h"
#include "storage/latch.h"
#include "storage/lwlock.h"
}

namespace snowid::server {

// How far the start of this incarnation has come. Before the first id the horizons of all databases must be known.
enum class StartState : std::uint8_t { not_begun, reading, failed, ready };

// Where the server runs. It changes when the data are moved or copied. The postmaster writes it once.
struct Identity {
    std::int64_t boot;
    std::int64_t server;
};

struct Shared {
    Slot default_slots[std::size(kSchemes)];  // of the server's own generators, for all databases

    // The number in force of each scheme, as ids hold it: the worker's bits, and the partition.
    struct alignas(64) Number {
        std::atomic<std::uint64_t> bits;
    } numbers[std::size(kSchemes)];

    alignas(64) core::ClockWatch clock;
    std::atomic<std::int64_t> behind_until_ns;  // until the clock says this, ids are ahead of it for a known reason
    std::atomic<std::int64_t> abandoned_ns;     // the first time that no freed slot has used
    std::atomic<StartState> start;
    std::atomic<Oid> database_to_read;  // by the reader that was started last, if one could be started
    std::atomic<Oid> database_read;     // by the reader that ended last
    std::atomic<Latch *> worker_latch;  // of the server's worker
    std::atomic<bool> moved;            // the data are another server's, on the same WAL timeline
    Identity identity;

    alignas(64) ClockCounters clock_counters;
    LogLimiter regression_log;
    LogLimiter leap_log;
    LogLimiter refusal_log;
    LogLimiter behind_log;

    RandomState random;  // of the ids whose uniqueness is random

    core::Layout layout;                       // the server's until its next start, whatever the setting says meanwhile
    std::atomic<TimestampTz> numbers_read_at;  // when the configuration that `numbers` come from was read
    std::atomic<bool> worker_asked;            // whether a backend has asked for the server's worker
    std::atomic<int> worker_pid;

    LWLock slots_lock;
    std::atomic<std::uint64_t> slot_changes;  // see slots.hpp
    int slot_count;
    Slot slots[];  // of named generators

    Slot &default_slot(Scheme scheme) noexcept { return default_slots[static_cast<std::size_t>(scheme)]; }
    std::atomic<std::uint64_t> &number(Scheme scheme) noexcept {
        return numbers[static_cast<std::size_t>(scheme)].bits;
    }
};

extern Shared *shared;     // nullptr until this backend has it
extern bool is_preloaded;  // by the postmaster: all backends have it

void install_shared_memory_hooks();

bool can_share();  // whether this process has the shared memory or could attach to it

// Without preload: makes the shared memory, or finds it. Raises an error where PostgreSQL has no such memory.
void attach_shared();

// The lock of the slots, which guards what is no atomic word in them, and changes of more than one word.
void lock_slots(bool to_change);
void unlock_slots();

}  // namespace snowid::server
