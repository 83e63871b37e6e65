#include "server/base/wait.hpp"

#include <ctime>

#include "core/time.hpp"
#include "pg/compat.hpp"

extern "C" {
#include "miscadmin.h"
#include "storage/latch.h"
}

namespace snowid::server {
namespace {

uint32 clock_wait_event() {
    static constinit uint32 event = 0;
    if (event == 0) event = pg::wait_event("SnowidClock");
    return event;
}

}  // namespace

void sleep_slice(std::int64_t ns) {
    CHECK_FOR_INTERRUPTS();
    if (ns >= 2 * core::kNanosPerMilli) {
        // A latch counts whole milliseconds. The next call sleeps for the rest.
        const int events = WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
                                     static_cast<long>(ns / core::kNanosPerMilli - 1), clock_wait_event());
        if ((events & WL_LATCH_SET) != 0) ResetLatch(MyLatch);
    } else {
        const timespec slice{0, ns};
        pgstat_report_wait_start(clock_wait_event());
        clock_nanosleep(CLOCK_MONOTONIC, 0, &slice, nullptr);
        pgstat_report_wait_end();
    }
    CHECK_FOR_INTERRUPTS();
}

}  // namespace snowid::server
