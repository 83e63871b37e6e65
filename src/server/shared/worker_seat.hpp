// The seat of a background worker of which only one may run. After a crash PostgreSQL restarts the worker, and a
// backend may have asked for one as well. One of them gets the seat.
#pragma once

#include <atomic>

#include "pg/prelude.hpp"

extern "C" {
#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/latch.h"
}

namespace snowid::server {

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
