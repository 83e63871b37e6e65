// What all background workers of the library have in common.
#pragma once

#include "pg/prelude.hpp"

extern "C" {
#include "miscadmin.h"
#include "postmaster/bgworker.h"
#include "storage/ipc.h"
#include "storage/latch.h"
}

namespace snowid::server {

void describe_worker(BackgroundWorker &worker, const char *function, const char *name);

// Starts one that ends for good. This process hears of it. Returns nullptr if there is no room for another worker.
BackgroundWorkerHandle *start_worker_in(Oid database, const char *function, const char *name);

// Connects this worker to a database, or to none, after which SIGTERM ends it. No timeout that is set for sessions
// does.
void connect_worker(Oid database, const char *lock_timeout = "0");

// The seat of a background worker of which only one may run. After a crash PostgreSQL restarts the worker, and a
// backend may have asked for one as well. One of them gets the seat.
struct WorkerSeat {
    std::atomic<int> pid;
    std::atomic<Latch *> latch;  // nullptr: there is nobody to wake

    // Takes the seat until this process ends. Returns false if another process has it.
    bool take() {
        int nobody = 0;
        if (!pid.compare_exchange_strong(nobody, MyProcPid)) return false;
        before_shmem_exit(leave, PointerGetDatum(this));  // later, without preload, the memory is already detached
        return true;
    }
    void wake() const noexcept {
        if (Latch *sleeping = latch.load()) SetLatch(sleeping);
    }

private:
    static void leave(int, Datum seat) {
        auto *left = reinterpret_cast<WorkerSeat *>(DatumGetPointer(seat));
        left->latch.store(nullptr);
        left->pid.store(0);
    }
};

}  // namespace snowid::server
