#include "server/generator/sno_clock.hpp"

#include <algorithm>

#include "core/id/sno.hpp"
#include "pg/clock.hpp"
#include "pg/error.hpp"
#include "pg/time.hpp"
#include "server/generator/await_clock.hpp"
#include "server/number/slots.hpp"
#include "server/shared/clock_guard.hpp"
#include "server/shared/settings.hpp"
#include "server/shared/shared.hpp"

extern "C" {
#include "utils/timestamp.h"
}

namespace snowid::server {
namespace {

// How far the clock may be behind before callers get an error instead of waiting.
std::int64_t patience_ns() { return settings.clock_drift_ns() + settings.clock_wait_ns(); }

void log_behind(core::UnixNanos due) {
    std::int64_t held_back = 0;
    if (shared->behind_log.admit(pg::monotonic_ns(), held_back))
        ereport(LOG, (errmsg("snowid: callers who want snos wait until %s", pg::shown_time(due)),
                      errdetail("The clock says a time that is used up with both values of the tick-tock bit.")));
}

[[noreturn]] void raise_sno_clock_behind(Slot &slot, core::UnixNanos due) {
    count_refusal(slot, "the clock is behind");
    const std::int64_t ahead_ns = due.value - pg::wall_clock().value;
    const BehindWhy why =
        why_behind(ahead_ns, psprintf("Up to %s there are snos with both values of the tick-tock bit, and "
                                      "callers wait only for a clock that is at most %s behind.",
                                      pg::shown_time(due), pg::shown_duration(patience_ns())));
    ereport(ERROR, (errcode(ERRCODE_SYSTEM_ERROR),
                    errmsg("the clock is %s behind the snos that have been made", pg::shown_duration(ahead_ns)),
                    errdetail("%s", why.detail), errhint("%s", why.hint)));
}

}  // namespace

void await_sno_clock(Slot &slot, core::UnixNanos due) {
    const std::int64_t until_ns = pg::monotonic_ns() + patience_ns();
    while (const std::int64_t left = std::max<std::int64_t>(due.value - pg::wall_clock().value, 0)) {
        if (left > until_ns - pg::monotonic_ns()) raise_sno_clock_behind(slot, due);
        log_behind(due);
        await_clock(slot, due, false);
    }
}

void raise_out_of_time(Slot &slot) {
    count_refusal(slot, "the clock is outside the range of snos");
    ereport(ERROR, (errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE), errmsg("the clock is outside the range of snos"),
                    errdetail("Snos have times from %s to %s.",
                              pstrdup(timestamptz_to_str(pg::to_timestamptz(core::Sno::first_time()))),
                              pstrdup(timestamptz_to_str(pg::to_timestamptz(core::Sno::last_time()))))));
}

}  // namespace snowid::server
