#include "server/shared/shared.hpp"

#include "pg/compat.hpp"
#include "pg/error.hpp"
#include "server/shared/settings.hpp"

extern "C" {
#include "access/xlog_internal.h"
#include "common/file_perm.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "storage/fd.h"
#include "storage/ipc.h"
#include "storage/shmem.h"
#include "utils/timestamp.h"
}

namespace snowid::server {

constinit Shared *shared = nullptr;
constinit bool is_preloaded = false;

namespace {

constinit shmem_request_hook_type previous_request_hook = nullptr;
constinit shmem_startup_hook_type previous_startup_hook = nullptr;

std::int64_t hash_of(const void *text, std::size_t size) {
    return static_cast<std::int64_t>(
        hash_bytes_extended(static_cast<const unsigned char *>(text), static_cast<int>(size), 0));
}

constexpr std::size_t kIdSize = 32;

// The hash of the id that a file has, or 0 if it has none.
std::int64_t hash_of_file(const char *path) {
    char line[128] = {};
    std::size_t size = 0;
    if (FILE *file = AllocateFile(path, "r")) {
        size = std::fread(line, 1, sizeof line, file);
        FreeFile(file);
    }
    return size < kIdSize ? 0 : hash_of(line, size);
}

// A copied data directory has another inode for the same file. A restarted machine has another boot id.
Identity identify() {
    struct stat control {};
    stat(XLOG_CONTROL_FILE, &control);
    const auto directory = static_cast<std::uint32_t>(hash_of(&control.st_ino, sizeof control.st_ino));
    const auto machine = static_cast<std::uint32_t>(hash_of_file("/etc/machine-id"));
    return {.boot = hash_of_file("/proc/sys/kernel/random/boot_id"), .home = core::Home::of(directory, machine)};
}

constexpr const char *kTranche = "snowid";

Size hash_count(int slot_count) { return static_cast<Size>(slot_count) + 1; }  // also of no slots

Size shared_size(int slot_count) {
    return offsetof(Shared, slots) + static_cast<Size>(slot_count) * sizeof(Slot) +
           hash_count(slot_count) * sizeof(std::int32_t);
}

std::int32_t number_of(const Slot &slot) { return static_cast<std::int32_t>(&slot - shared->slots); }

std::int32_t *first_slots() { return reinterpret_cast<std::int32_t *>(shared->slots + shared->slot_count); }

std::int32_t &first_slot(const SlotKey &key) {
    static_assert(std::has_unique_object_representations_v<SlotKey>);
    const std::uint32_t hash = hash_bytes(reinterpret_cast<const unsigned char *>(&key), sizeof key);
    return first_slots()[hash % hash_count(shared->slot_count)];
}

void make_slots() {
    shared->first_free = Shared::kNoSlot;
    std::fill_n(first_slots(), hash_count(shared->slot_count), Shared::kNoSlot);
    for (int i = shared->slot_count - 1; i >= 0; --i) {
        new (&shared->slots[i]) Slot();
        shared->slots[i].next = std::exchange(shared->first_free, i);
    }
}

void make_shared(void *memory, int slot_count) {
    shared = new (memory) Shared();
    LWLockInitialize(&shared->slots_lock, pg::new_lock_tranche(kTranche));
    shared->layout = settings.layout;
    const std::string_view layout = pg::layout_text(settings.layout);
    shared->layout_hash = hash_of(layout.data(), layout.size()) & INT64_MAX;
    shared->slot_count = slot_count;
    make_slots();
    shared->identity = identify();
    for (const Scheme scheme : kSchemes) {
        shared->default_slot(scheme).info.scheme = scheme;
        shared->default_slot(scheme).counters.reset_at.store(GetCurrentTimestamp());
    }
    pg::name_lock_tranche(shared->slots_lock.tranche, kTranche);
    shared->tenure.until_ns.store(INT64_MAX);
    want_configured_numbers();
    for (const Scheme scheme : kSchemes) {
        ServerNumber &number = shared->number(scheme);
        number.next.store(number.wanted.load());
        store_number(scheme, number.wanted.load());
    }
}

// The first backend decides how many slots there are, because the setting may change later.
int settled_slot_count() {
    const auto settle = [](void *count) { *static_cast<int *>(count) = settings.max_generators; };
    return *static_cast<int *>(pg::named_shared_memory("snowid generators", sizeof(int), settle));
}

void request_memory() {
    if (previous_request_hook != nullptr) previous_request_hook();
    RequestAddinShmemSpace(shared_size(settings.max_generators));
}

// Runs once in the postmaster, and again each time after a crash has emptied shared memory.
void make_or_find_memory() {
    if (previous_startup_hook != nullptr) previous_startup_hook();
    bool found = false;
    LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
    void *memory = ShmemInitStruct("snowid", shared_size(settings.max_generators), &found);
    if (found)
        shared = static_cast<Shared *>(memory);
    else
        make_shared(memory, settings.max_generators);
    LWLockRelease(AddinShmemInitLock);
}

int hint_to_preload() {
    const char *preloaded = shared_preload_libraries_string;
    const bool others = preloaded != nullptr && preloaded[0] != '\0';
    return errhint("Set shared_preload_libraries = '%s%ssnowid' in postgresql.conf and restart the server.",
                   others ? preloaded : "", others ? "," : "");
}

}  // namespace

void install_shared_memory_hooks() {
    on_number_setting = [] {
        if (shared != nullptr && !IsUnderPostmaster) want_configured_numbers();
    };
    is_preloaded = true;
    previous_request_hook = shmem_request_hook;
    shmem_request_hook = request_memory;
    previous_startup_hook = shmem_startup_hook;
    shmem_startup_hook = make_or_find_memory;
}

bool can_share() { return IsUnderPostmaster && (is_preloaded || pg::kHasNamedSharedMemory); }

void attach_shared() {
    if (!can_share()) raise_not_preloaded();
    require_settings();
    static constinit int slot_count = 0;  // first, because PostgreSQL creates one piece of memory at a time
    slot_count = settled_slot_count();
    const auto make = [](void *memory) { make_shared(memory, slot_count); };
    shared = static_cast<Shared *>(pg::named_shared_memory("snowid", shared_size(slot_count), make));
    pg::name_lock_tranche(shared->slots_lock.tranche, kTranche);
    settle_layout(shared->layout);
}

void raise_not_preloaded() {
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("snowid must be loaded at server start to make ids"), hint_to_preload()));
}

void raise_not_preloaded_for_safe_horizon() {
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("snowid must be loaded at server start to know the safe horizon"),
                    errdetail("Sessions that load it later do not say which ids they hold."), hint_to_preload()));
}

void raise_not_preloaded_for_expiry() {
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("snowid must be loaded at server start to detach or drop partitions by their age"),
                    errdetail("Otherwise it does not notice that the clock has leapt."), hint_to_preload()));
}

void raise_on_standby() {
    ereport(ERROR, (errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION), errmsg("cannot make ids during recovery"),
                    errdetail("Only a primary makes ids."), errhint("Connect to the primary.")));
}

void want_configured_numbers() {
    const bool had_directory = shared->tenure.from_directory.exchange(settings.from_directory);
    if (settings.from_directory && !had_directory) shared->tenure.until_ns.store(0);  // until there is a tenure
    for (const Scheme scheme : kSchemes) {
        shared->number(scheme).wanted.store(scheme_row(scheme).configured_number());
        shared->number(scheme).is_set.store(settings.from_directory || scheme_row(scheme).is_number_set());
    }
}

void store_number(Scheme scheme, std::uint32_t number) {
    shared->number(scheme).in_force.store(number, std::memory_order_release);
    shared->number(scheme).bits.store(scheme_row(scheme).number_bits(number), std::memory_order_release);
}

void lock_slots(LWLockMode mode) { LWLockAcquire(&shared->slots_lock, mode); }
void unlock_slots() { LWLockRelease(&shared->slots_lock); }

Slot *slot_of(const SlotKey &key) {
    for (std::int32_t i = first_slot(key); i != Shared::kNoSlot; i = shared->slots[i].next)
        if (shared->slots[i].key == key) return &shared->slots[i];
    return nullptr;
}

void take_slot(Slot &slot, const SlotKey &key) {
    std::int32_t *link = &shared->first_free;
    while (*link != number_of(slot)) link = &shared->slots[*link].next;
    *link = slot.next;
    slot.key = key;
    slot.next = std::exchange(first_slot(key), number_of(slot));
    ++shared->used_slots;
}

void free_slot(Slot &slot) {
    std::int32_t *link = &first_slot(slot.key);
    while (*link != number_of(slot)) link = &shared->slots[*link].next;
    *link = slot.next;
    slot.key = {};
    slot.next = std::exchange(shared->first_free, number_of(slot));
    --shared->used_slots;
}

Slot *free_slot() {
    for (std::int32_t i = shared->first_free; i != Shared::kNoSlot; i = shared->slots[i].next)
        if (shared->slots[i].users.load() == 0) return &shared->slots[i];
    return nullptr;
}

}  // namespace snowid::server
