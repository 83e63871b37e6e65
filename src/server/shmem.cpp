#include "server/shmem.hpp"

#include <new>

#include "pg/prelude.hpp"
#include "server/settings.hpp"

extern "C" {

#include "access/xlog_internal.h"
#include "common/file_perm.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "storage/fd.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"
#include "utils/timestamp.h"
}

namespace snowid::server {

constinit Shared *shared = nullptr;

namespace {

constinit shmem_request_hook_type previous_request_hook = nullptr;
constinit shmem_startup_hook_type previous_startup_hook = nullptr;

std::int64_t hash_of(const char *text, std::size_t size) {
    return static_cast<std::int64_t>(
        hash_bytes_extended(reinterpret_cast<const unsigned char *>(text), static_cast<int>(size), 0));
}

// A file's first line, or nothing where there is no such file.
std::int64_t hash_of_file(const char *path, std::int64_t salt) {
    char line[128] = {};
    std::memcpy(line, &salt, sizeof salt);
    std::size_t size = sizeof salt;
    if (FILE *file = AllocateFile(path, "r")) {
        size += std::fread(line + size, 1, sizeof line - size, file);
        FreeFile(file);
    }
    return hash_of(line, size);
}

// A copied data directory has another inode of the same file; a restarted machine has another boot.
Identity identify() {
    struct stat control {};
    stat(XLOG_CONTROL_FILE, &control);
    return {.boot = hash_of_file("/proc/sys/kernel/random/boot_id", 0),
            .server = hash_of_file("/etc/machine-id", static_cast<std::int64_t>(control.st_ino))};
}

Size shared_size() { return offsetof(Shared, slots) + static_cast<Size>(settings.max_generators) * sizeof(Slot); }

void make_shared(void *memory) {
    shared = new (memory) Shared();
    shared->slots_lock = &GetNamedLWLockTranche("snowid")->lock;
    shared->slot_count = settings.max_generators;
    for (Slot *slot = shared->slots; slot != shared->slots + shared->slot_count; ++slot) new (slot) Slot();
    shared->identity = identify();
    for (const Scheme scheme : {Scheme::snowflake, Scheme::sno})
        shared->default_slot(scheme).counters.reset_at.store(GetCurrentTimestamp());
    publish_origin();
}

void request_shmem() {
    if (previous_request_hook != nullptr) previous_request_hook();
    RequestAddinShmemSpace(shared_size());
    RequestNamedLWLockTranche("snowid", 1);
}

// Runs once in the postmaster, and again whenever a crash has emptied shared memory.
void attach_shmem() {
    if (previous_startup_hook != nullptr) previous_startup_hook();
    bool found = false;
    LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
    void *memory = ShmemInitStruct("snowid", shared_size(), &found);
    if (found)
        shared = static_cast<Shared *>(memory);
    else
        make_shared(memory);
    LWLockRelease(AddinShmemInitLock);
}

}  // namespace

void install_shmem_hooks() {
    previous_request_hook = shmem_request_hook;
    shmem_request_hook = request_shmem;
    previous_startup_hook = shmem_startup_hook;
    shmem_startup_hook = attach_shmem;
}

void publish_origin() {
    shared->partition.store(static_cast<std::uint32_t>(settings.sno_partition), std::memory_order_relaxed);
    shared->worker_bits.store(settings.layout.place_worker(settings.worker), std::memory_order_relaxed);
}

}  // namespace snowid::server
