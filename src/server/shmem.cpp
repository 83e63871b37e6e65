#include "server/shmem.hpp"

#include <new>

#include "pg/prelude.hpp"
#include "server/settings.hpp"

extern "C" {
#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"
}

namespace snowid::server {

constinit Shared *shared = nullptr;

namespace {

constinit shmem_request_hook_type previous_request_hook = nullptr;
constinit shmem_startup_hook_type previous_startup_hook = nullptr;

void request_shmem() {
    if (previous_request_hook != nullptr) previous_request_hook();
    RequestAddinShmemSpace(sizeof(Shared));
}

// Runs once in the postmaster, and again whenever a crash has emptied shared memory.
void attach_shmem() {
    if (previous_startup_hook != nullptr) previous_startup_hook();
    bool found = false;
    LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
    void *memory = ShmemInitStruct("snowid", sizeof(Shared), &found);
    shared = found ? static_cast<Shared *>(memory) : new (memory) Shared();
    if (!found) publish_worker();
    LWLockRelease(AddinShmemInitLock);
}

}  // namespace

void install_shmem_hooks() {
    previous_request_hook = shmem_request_hook;
    shmem_request_hook = request_shmem;
    previous_startup_hook = shmem_startup_hook;
    shmem_startup_hook = attach_shmem;
}

void publish_worker() {
    shared->worker_bits.store(settings.layout.place_worker(settings.worker), std::memory_order_relaxed);
}

}  // namespace snowid::server
