#include "server/shared/wait.hpp"

#include "core/time.hpp"
#include "pg/compat.hpp"

extern "C" {
#include "miscadmin.h"
#include "storage/latch.h"
}

namespace snowid::server {
namespace {

uint32 event_of(Waiting waiting) {
    static constinit uint32 events[2] = {};
    uint32 &event = events[static_cast<std::size_t>(waiting)];
    if (event == 0) event = pg::wait_event(waiting == Waiting::for_clock ? "SnowidClock" : "SnowidDirectory");
    return event;
}

}  // namespace

void sleep_slice(std::int64_t ns, Waiting waiting) {
    CHECK_FOR_INTERRUPTS();
    if (ns >= 2 * core::kNanosPerMilli) {
        // A latch counts whole milliseconds. The next call sleeps for the rest.
        const int events = WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
                                     static_cast<long>(ns / core::kNanosPerMilli - 1), event_of(waiting));
        if ((events & WL_LATCH_SET) != 0) ResetLatch(MyLatch);
    } else {
        const timespec slice{0, ns};
        pgstat_report_wait_start(event_of(waiting));
        clock_nanosleep(CLOCK_MONOTONIC, 0, &slice, nullptr);
        pgstat_report_wait_end();
    }
    CHECK_FOR_INTERRUPTS();
}

}  // namespace snowid::server
