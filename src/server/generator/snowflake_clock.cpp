#include "server/generator/snowflake_clock.hpp"

#include "pg/error.hpp"
#include "pg/time.hpp"
#include "server/durable/await_start.hpp"
#include "server/number/slots.hpp"
#include "server/shared/clock_guard.hpp"
#include "server/shared/settings.hpp"
#include "server/shared/shared.hpp"

extern "C" {
#include "miscadmin.h"
#include "utils/timestamp.h"
}

namespace snowid::server {
namespace {

void require_not_behind(core::UnixNanos now) {
    const Slot &own = shared->default_slot(Scheme::snowflake);
    const core::Ticks ticks(settings.layout);
    const std::uint64_t next = ticks.at_or_after(own.timeline.last() + 1);
    const std::int64_t ahead = ticks.tick_of(next) - ticks.at(now);
    if (SnowflakePolicy::of(ticks).at(now, own).judge(ahead) != core::Verdict::refuse) return;
    watch_clock();
    raise_clock_behind(settings.layout, ticks, next, ahead);
}

}  // namespace

SnowflakePolicy SnowflakePolicy::of(const core::Ticks &ticks) {
    const auto callers = static_cast<std::uint64_t>(MaxBackends);
    const core::ClockPolicy steady = core::ClockPolicy::of(settings.clock_wait_ns(), settings.clock_drift_ns(),
                                                           ticks.tick_ns(), callers, ticks.capacity());
    return {steady, core::start_lead_ns(ticks, steady, settings.reserve_ns()), ticks.tick_ns()};
}

void raise_clock_behind(const core::Layout &layout, const core::Ticks &ticks, std::uint64_t position,
                        std::int64_t ahead) {
    if (ticks.tick_of(position) < ahead)
        ereport(ERROR, (errcode(ERRCODE_SYSTEM_ERROR), errmsg("the clock is before the epoch of the snowflake layout"),
                        errdetail("It says %s, but layout %s has no times before its epoch.",
                                  pstrdup(timestamptz_to_str(GetCurrentTimestamp())), pg::layout_text(layout)),
                        errhint("Correct the server's clock.")));
    const std::int64_t ahead_ns = ahead * ticks.tick_ns();
    const BehindWhy why = why_behind(
        ahead_ns,
        psprintf("The last one is of %s, but snowid.clock_drift lets ids be only %s ahead of the clock.",
                 pg::shown_time(ticks.start(ticks.tick_of(position))), pg::shown_duration(settings.clock_drift_ns())));
    ereport(ERROR, (errcode(ERRCODE_SYSTEM_ERROR),
                    errmsg("the clock is %s behind the snowflakes that have been made", pg::shown_duration(ahead_ns)),
                    errdetail("%s", why.detail), errhint("%s", why.hint)));
}

void raise_ended(Slot &slot, const core::Layout &layout) {
    count_refusal(slot, "the layout has ended");
    ereport(ERROR,
            (errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE), errmsg("the time of the snowflake layout has run out"),
             errdetail("Layout %s ended at %s.", pg::layout_text(layout),
                       timestamptz_to_str(pg::to_timestamptz(layout.last_generated_time()))),
             errhint("If the clock is right, move to another kind of key.")));
}

core::UnixNanos require_clock() {
    await_start();
    require_not_behind(pg::wall_clock());
    if (const core::ClockReport report = believe_clock(); report.step == core::ClockStep::leap)
        raise_leap(report.by_ns);
    return believed_time();
}

}  // namespace snowid::server
