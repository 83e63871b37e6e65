#include "server/shared/clock_guard.hpp"

#include "pg/error.hpp"
#include "pg/time.hpp"
#include "server/shared/settings.hpp"
#include "server/shared/shared.hpp"

extern "C" {
#include "utils/timestamp.h"
}

namespace snowid::server {
namespace {

const char *shown_held_back(std::int64_t held_back) {
    return held_back == 0 ? "" : psprintf(" (repeats since the last message: " INT64_FORMAT ")", held_back);
}

void report_back(std::int64_t by_ns) {
    count(shared->clock_counters.regressions);
    advance_to(shared->clock_counters.max_regression_ns, by_ns);
    advance_to(shared->behind_until_ns, pg::wall_clock().value + by_ns);
    std::int64_t held_back = 0;
    if (shared->regression_log.admit(pg::monotonic_ns(), held_back))
        ereport(LOG,
                (errmsg("snowid: the clock went back by %s%s", pg::shown_duration(by_ns), shown_held_back(held_back))));
}

void report_leap(std::int64_t by_ns) {
    std::int64_t held_back = 0;
    if (shared->leap_log.admit(pg::monotonic_ns(), held_back))
        ereport(LOG, (errmsg("snowid: the clock leapt forward by %s, and ids are refused%s", pg::shown_duration(by_ns),
                             shown_held_back(held_back)),
                      errhint("If the clock is right now, run: SELECT snowid_clock_accept();")));
}

core::ClockReport look(std::int64_t offset_ns) {
    const core::ClockReport report = shared->clock.observe(offset_ns, settings.clock_jump_ns());
    if (report.step == core::ClockStep::back) report_back(report.by_ns);
    if (report.step == core::ClockStep::leap) report_leap(report.by_ns);
    return report;
}

}  // namespace

core::ClockReport watch_clock() { return look(pg::clock_offset_ns()); }

core::ClockReport believe_clock() {
    const std::int64_t offset = pg::clock_offset_ns();
    const core::ClockReport report = look(offset);
    if (report.step != core::ClockStep::leap) shared->clock.believe(offset);
    return report;
}

core::UnixNanos latest_time() { return {pg::wall_clock().value + settings.clock_drift_ns()}; }

core::UnixNanos believed_time() { return {pg::read_clock_ns(CLOCK_BOOTTIME) + shared->clock.believed_ns()}; }

void raise_leap(std::int64_t by_ns) {
    ereport(ERROR,
            (errcode(ERRCODE_SYSTEM_ERROR), errmsg("the clock has leapt forward by %s", pg::shown_duration(by_ns)),
             errdetail("It says %s now. Ids with a time in the future could not be taken back.",
                       timestamptz_to_str(GetCurrentTimestamp())),
             errhint("If the clock is right, a superuser can run: SELECT snowid_clock_accept();")));
}

BehindWhy why_behind(std::int64_t ahead_ns, const char *detail) {
    const core::UnixNanos put_off_to{shared->advanced_to_ns.load()};
    if (latest_time() < put_off_to)
        return {
            psprintf("A superuser has put them off to %s, with snowid_horizon_advance().", pg::shown_time(put_off_to)),
            psprintf("Ids are made again then. If that time is wrong, a superuser can run in every database where "
                     "the function was called: SELECT snowid_horizon_rewind(now() + interval '%d ms');",
                     settings.clock_drift_ms)};
    if (ahead_ns > settings.clock_jump_ns())
        return {detail,
                "Check the server's time source, and whether snowid_horizon_advance() was called with a wrong "
                "time. Ids are made again when the clock has caught up."};
    return {detail, "Check the server's time source. Ids are made again when the clock has caught up."};
}

}  // namespace snowid::server
