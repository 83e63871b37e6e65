#include "server/generator.hpp"

#include <algorithm>

#include "pg/compat.hpp"
#include "pg/error.hpp"
#include "pg/time.hpp"
#include "server/layout_record.hpp"
#include "server/settings.hpp"
#include "server/wait.hpp"

extern "C" {
#include "access/xlog.h"
#include "miscadmin.h"
#include "utils/timestamp.h"
}

namespace snowid::server {

constinit Generator generator;

namespace {

constexpr std::int64_t kNanosPerMilli = 1'000'000;
// While it waits a caller looks at the clock this often: it may have been set forward.
constexpr std::int64_t kLongestSlice = 100 * kNanosPerMilli;

[[noreturn]] void raise_not_preloaded() {
    const char *preloaded = shared_preload_libraries_string;
    const bool others = preloaded != nullptr && preloaded[0] != '\0';
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("snowid must be loaded at server start to generate snowflakes"),
                    errhint("Set shared_preload_libraries = '%s%ssnowid' in postgresql.conf and restart the server.",
                            others ? preloaded : "", others ? "," : "")));
}

[[noreturn]] void raise_on_standby() {
    ereport(ERROR, (errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION), errmsg("cannot generate snowflakes during recovery"),
                    errdetail("A standby has the worker id of its primary, and would make the same ids.")));
}

[[noreturn]] void raise_other_layout(const core::Layout &recorded) {
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("this server does not generate snowflakes of this database's layout"),
                    errdetail("The database has the layout %s, and the server %s.", pg::layout_text(recorded),
                              pg::layout_text(settings.layout)),
                    errhint("Set snowid.layout to the database's layout and restart the server.")));
}

const char *shown_duration(std::int64_t ns) {
    if (ns < 10'000 * kNanosPerMilli) return psprintf(INT64_FORMAT " ms", ns / kNanosPerMilli);
    return psprintf(INT64_FORMAT " s", ns / (1000 * kNanosPerMilli));
}

const char *shown_time(core::UnixNanos t) { return pstrdup(timestamptz_to_str(pg::to_timestamptz({t.value / 1000}))); }

}  // namespace

void Generator::prepare() {
    if (shared == nullptr) raise_not_preloaded();
    if (RecoveryInProgress()) raise_on_standby();
    if (const core::Layout &recorded = recorded_layout(); !(recorded == settings.layout)) raise_other_layout(recorded);

    const core::Layout &layout = settings.layout;
    ticks_ = core::Ticks(layout);
    sequence_bits_ = layout.sequence().bits;
    sequence_shift_ = layout.sequence().shift;
    time_shift_ = layout.time().shift;
    policy_ = core::ClockPolicy::of(settings.clock_wait_ms * kNanosPerMilli, settings.clock_drift_ms * kNanosPerMilli,
                                    ticks_.tick_ns(), static_cast<std::uint64_t>(MaxBackends), ticks_.capacity());
    ready_ = true;
}

// What the clock policy says of the next position; ends with one that is taken and due, or with an error.
std::uint64_t Generator::take_slowly() {
    for (;;) {
        const std::uint64_t seen = shared->timeline.last();
        const core::Decision d = shared->timeline.take(ticks_, policy_, seen, pg::wall_clock(), ticks_.end());
        switch (d.verdict) {
            case core::Verdict::issue: return d.position;
            case core::Verdict::wait: wait_for(d.due_tick); return d.position;
            case core::Verdict::full: wait_for(d.due_tick); break;
            case core::Verdict::refuse: raise_clock_behind(d);
            case core::Verdict::at_limit: raise_ended();
        }
    }
}

core::Run Generator::next_run(std::uint64_t want) {
    if (!ready_) prepare();
    core::Run run = shared->timeline.take_run(ticks_, pg::wall_clock(), ticks_.end(), want);
    if (run.count > 0) return run;
    // A batch that has had its share of this tick leaves the rest of it to others.
    if (const core::UnixNanos now = pg::wall_clock(); ticks_.tick_of(shared->timeline.last()) == ticks_.at(now)) {
        wait_for(ticks_.at(now) + 1);
        run = shared->timeline.take_run(ticks_, pg::wall_clock(), ticks_.end(), want);
        if (run.count > 0) return run;
    }
    return {take_slowly(), 1};
}

// Returns when the clock has reached the tick, or when the time that it was away has passed: a clock that is set back
// meanwhile makes nobody wait longer.
void Generator::wait_for(std::int64_t tick) const {
    const core::UnixNanos due = ticks_.start(tick);
    std::int64_t left = due.value - pg::wall_clock().value;
    const std::int64_t deadline = pg::monotonic_ns() + left;
    while (left > 0) {
        sleep_slice(std::min(left, kLongestSlice));
        left = std::min(due.value - pg::wall_clock().value, deadline - pg::monotonic_ns());
    }
}

void Generator::raise_clock_behind(const core::Decision &d) const {
    const core::UnixNanos position = ticks_.start(ticks_.tick_of(d.position));
    ereport(ERROR, (errcode(ERRCODE_SYSTEM_ERROR),
                    errmsg("the clock is %s behind the snowflakes that have been issued",
                           shown_duration(d.ahead * ticks_.tick_ns())),
                    errdetail("The last one is of %s, and snowid.clock_drift lets ids be %s ahead of the clock.",
                              shown_time(position), shown_duration(settings.clock_drift_ms * kNanosPerMilli)),
                    errhint("Check the server's time source. Ids are issued again when the clock has caught up.")));
}

void Generator::raise_ended() const {
    ereport(ERROR,
            (errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE), errmsg("the time of the snowflake layout has run out"),
             errdetail("Layout %s ended at %s.", pg::layout_text(settings.layout),
                       timestamptz_to_str(
                           pg::to_timestamptz(settings.layout.time_of_tick(settings.layout.last_generated_tick()))))));
}

}  // namespace snowid::server
