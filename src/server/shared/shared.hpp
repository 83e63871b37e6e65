// What all backends of the server share. Every field is a single atomic word, except those that the slots' lock guards.
#pragma once

#include "core/clock/watch.hpp"
#include "core/fleet/tenure.hpp"
#include "core/timeline/history.hpp"
#include "core/timeline/random_timeline.hpp"
#include "core/timeline/second_counter.hpp"
#include "pg/prelude.hpp"
#include "server/shared/slot.hpp"
#include "server/shared/worker.hpp"

extern "C" {
#include "datatype/timestamp.h"
#include "storage/latch.h"
#include "storage/lwlock.h"
}

namespace snowid::server {

// How far the start of this incarnation has come. The horizons of all databases must be known before the first id.
enum class StartState : std::uint8_t { not_begun, reading, failed, ready };

// Where the server runs. It changes when the data directory is moved or copied. The postmaster writes it once.
struct Identity {
    std::int64_t boot;
    core::Home home;
};

// Named generators that have the number which the server is to have.
struct NumberHolders {
    struct {
        Oid database;
        char name[NAMEDATALEN];
    } shown[3];  // the first ones
    int shown_count;
    int more;

    int count() const noexcept { return shown_count + more; }
};

// How far ids of given times have come with a number. The place belongs to whichever number has come furthest of those
// that share it. None share one in a layout that has no more numbers than there are places.
struct GivenPast {
    Scheme scheme;
    std::uint32_t number;
    core::Claim claim;
    core::UnixNanos until;
};

// How far ids have come that were made by the clock, with any number.
struct ClockedPast {
    std::atomic<std::int64_t> given_up_until_ns;  // by numbers that were given up in this incarnation
    std::atomic<std::int64_t> named_until_ns;     // by named generators in earlier ones
};

// The number of a scheme that this server's own ids have; see server_number.hpp.
struct alignas(64) ServerNumber {
    std::atomic<std::uint64_t> bits;      // of the one in force, as ids hold it: the worker's bits, or the partition
    std::atomic<std::uint32_t> in_force;  // the same number, for everything else
    std::atomic<std::uint32_t> wanted;    // as configured now
    std::atomic<bool> is_set;             // whether someone has configured it
    std::atomic<std::uint32_t> next;      // the wanted one whose claims have been or are being read in all databases
    std::atomic<std::int64_t> used_until_ns;      // no durable claim to `next` has ids of this time or later
    std::atomic<std::int64_t> believed_until_ns;  // the same of claims that a clock can have made
    ClockedPast past[2];                          // by whether the ids have the server's ticks: see number.hpp
    NumberHolders holders;                        // of `next`; guarded by the lock of the slots

    ClockedPast &past_of(bool ticks_of_server) noexcept { return past[ticks_of_server ? 0 : 1]; }
};

// The last problem with the directory, for people. Texts are in UTF-8, because the worker knows no database's encoding.
struct DirectoryError {
    int sqlstate;  // 0: nothing
    char message[256];
    char detail[256];
    char hint[256];
    TimestampTz at;
};

// What the view snowid_worker shows.
struct DirectoryReport {
    TimestampTz since;    // when the number came into force
    TimestampTz renewed;  // when the directory last gave time
    std::int64_t losses;
    std::int64_t clock_difference_ns;  // this server's clock compared with the directory's
    std::int32_t free_numbers;
    std::uint32_t twice;   // a number that another server had at the same time; 0: none
    TimestampTz twice_at;  // when the directory said so
    char address[256];     // host and port
    DirectoryError error;
};

// The server's tenure as its backends share it; see tenure.hpp.
struct alignas(64) TenureMemory {
    std::atomic<std::int64_t> until_ns;  // 0: no id may be made; INT64_MAX: the number does not come from a directory
    std::atomic<std::int64_t> from_ns;
    std::atomic<bool> from_directory;  // whether the configuration says so
    std::atomic<std::uint64_t> range;  // the numbers that the directory gives out; see directory_numbers.hpp
    std::atomic<std::uint64_t> news;   // how often the directory has given time, or another directory was set
    std::atomic<std::uint64_t> vain;   // what `news` was, and one more, when a caller had waited in vain
    WorkerSeat worker;                 // of the directory's worker
    core::Tenure tenure;               // guarded by the lock of the slots, as is
    DirectoryReport report;            // the rest
};

enum class Counted : std::uint8_t { objectid, rsxid };

// The state of the generators of random ids. It is in shared memory, or in each backend if the library was not loaded
// at the server's start. Nothing in it outlives the server, and it starts as zeroes.
//
//     timeline     orders uuidv7, ulid, ksuid and sandflake: one position is one id of any of them
//     counters     count objectid and rsxid within a second
//     seed         64 random bits that distinguish this state from every other; 0 until the first backend asks
//     steps_back   how often the timeline followed a clock back, and so may give out positions again
//     backfilled   counts the rsxids of given times
struct RandomState {
    core::RandomTimeline timeline;
    core::SecondCounter counters[2];  // by Counted
    alignas(64) std::atomic<std::uint64_t> seed{0};
    std::atomic<std::uint64_t> steps_back{0};
    std::atomic<std::uint64_t> backfilled{0};

    core::SecondCounter &counter(Counted of) noexcept { return counters[static_cast<std::size_t>(of)]; }
};

struct Shared {
    Slot default_slots[std::size(kSchemes)];  // of the server's own generators, for all databases
    ServerNumber numbers[std::size(kSchemes)];
    TenureMemory tenure;

    alignas(64) core::ClockWatch clock;
    std::atomic<std::int64_t> behind_until_ns;  // until the clock reaches this, ids are ahead of it for a known reason
    std::atomic<std::int64_t> reached_ns;       // how far ids that follow the clock have come, when it was believed
    std::atomic<std::int64_t> advanced_to_ns;   // until when a superuser has put ids off, if ahead of the clock; or 0
    std::atomic<StartState> start;
    std::atomic<Oid> database_failed;  // the last database that could not be read

    // For the start, and for the readers of databases.
    std::atomic<Oid> database_read;             // the last one that was read
    std::atomic<bool> reads_quietly;            // errors were told lately
    std::atomic<bool> has_cut;                  // a row was not believed, so that the next start reads it again
    std::atomic<bool> floors_know;              // who has advanced them; otherwise rows may say it
    std::atomic<std::int64_t> clock_known_ns;   // the highest horizon that says what the clock of this boot was,
    std::atomic<std::int64_t> origin_known_ns;  // and by whom it was advanced

    std::atomic<std::int64_t> original;  // 0, or the server whose data these are a copy of
    std::atomic<std::int64_t> lost_wal;  // of the floors: when WAL was last lost without a new timeline
    Identity identity;

    alignas(64) ClockCounters clock_counters;
    LogLimiter regression_log;
    LogLimiter leap_log;
    LogLimiter refusal_log;
    LogLimiter behind_log;

    RandomState random;  // of the ids that are unique by random bits

    core::Layout layout;             // the server's until its next start, whatever the setting says meanwhile
    std::int64_t layout_hash;        // for the floor
    std::atomic<bool> worker_asked;  // whether a backend has asked for the server's worker
    WorkerSeat worker;               // of the server's worker

    LWLock slots_lock;
    std::atomic<std::uint64_t> slot_changes;  // see slots.hpp
    int slot_count;
    int used_slots;
    std::int32_t first_free;               // the number of a free slot, which names the next; or kNoSlot
    GivenPast given_past[1024];            // of named generators; guarded by the lock of the slots
    std::atomic<std::int64_t> crowded_ns;  // when a generator last found no free slot, in elapsed time; or 0
    Slot slots[];                          // of named generators; after them, for each hash of a key, its first slot

    static constexpr std::int32_t kNoSlot = -1;

    Slot &default_slot(Scheme scheme) noexcept { return default_slots[static_cast<std::size_t>(scheme)]; }
    ServerNumber &number(Scheme scheme) noexcept { return numbers[static_cast<std::size_t>(scheme)]; }
};

extern Shared *shared;     // nullptr until this backend is attached to it
extern bool is_preloaded;  // loaded by the postmaster, so all backends have it

// Whether this server gets its number from the fleet's directory, even if it has none yet.
inline bool has_directory() { return shared->tenure.from_directory.load(); }

// When ids with the server's number must end: never, unless it comes from a directory.
inline core::UnixNanos tenure_end() { return {shared->tenure.until_ns.load(std::memory_order_acquire)}; }

void install_shared_memory_hooks();

bool can_share();  // whether this process has the shared memory or could attach to it

// Without preload: creates the shared memory, or finds it. Raises an error on a PostgreSQL without such memory.
void attach_shared();

// The errors of a server that cannot make ids because of the way it was started.
[[noreturn]] void raise_not_preloaded();
[[noreturn]] void raise_not_preloaded_for_safe_horizon();
[[noreturn]] void raise_not_preloaded_for_expiry();
[[noreturn]] void raise_on_standby();

// The number in force.
inline std::uint32_t server_number(Scheme scheme) {
    return shared->number(scheme).in_force.load(std::memory_order_acquire);
}

// From here on, ids of the server's own generator have the number. See put_in_force() in server_number.hpp.
void store_number(Scheme scheme, std::uint32_t number);

// Makes the numbers of this process's settings those that the server wants. With preload the postmaster calls this,
// because it is the first to read a changed configuration. Otherwise the server's worker does.
void want_configured_numbers();

// The lock of the slots. It guards everything in them that is not an atomic word, and changes of more than one word.
void lock_slots(LWLockMode mode);
void unlock_slots();

// The slot with the key, or nullptr. The same for a change of the key. REQUIRES: the lock of the slots.
Slot *slot_of(const SlotKey &key);
void take_slot(Slot &slot, const SlotKey &key);  // REQUIRES: it is free
void free_slot(Slot &slot);

// A free slot that no backend uses, or nullptr. REQUIRES: the lock of the slots.
Slot *free_slot();

// Calls `visit` with every slot that is in use. REQUIRES: the lock of the slots.
template <typename Visit>
void for_each_slot(Visit visit) {
    for (Slot *slot = shared->slots; slot != shared->slots + shared->slot_count; ++slot)
        if (slot->key.generator != 0) visit(*slot);
}

}  // namespace snowid::server
