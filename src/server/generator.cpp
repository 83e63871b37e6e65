#include "server/generator.hpp"

#include <algorithm>

#include "pg/compat.hpp"
#include "pg/error.hpp"
#include "pg/time.hpp"
#include "server/clock.hpp"
#include "server/layout_record.hpp"
#include "server/settings.hpp"
#include "server/start.hpp"
#include "server/wait.hpp"

extern "C" {
#include "access/xact.h"
#include "miscadmin.h"
#include "utils/timestamp.h"
}

namespace snowid::server {

constinit Generator generator;

namespace {

constexpr std::int64_t kNanosPerMilli = 1'000'000;
// While it waits a caller looks at the clock this often: it may have been set forward.
constexpr std::int64_t kLongestSlice = 100 * kNanosPerMilli;

[[noreturn]] void raise_other_layout(const core::Layout &recorded) {
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("this server does not generate snowflakes of this database's layout"),
                    errdetail("The database has the layout %s, and the server %s.", pg::layout_text(recorded),
                              pg::layout_text(settings.layout)),
                    errhint("Set snowid.layout to the database's layout and restart the server.")));
}

std::int64_t reserve_ns() { return std::min(settings.reserve_ms, settings.clock_drift_ms) * kNanosPerMilli; }

void count_refusal(const char *why) {
    count(shared->counters.refusals);
    std::int64_t held_back = 0;
    if (shared->refusal_log.admit(pg::monotonic_ns(), held_back))
        ereport(
            LOG,
            (errmsg("snowid: ids are refused, because %s (refused so often since the last message: " INT64_FORMAT ")",
                    why, held_back + 1)));
}

const char *shown_time(core::UnixNanos t) { return pstrdup(timestamptz_to_str(pg::to_timestamptz({t.value / 1000}))); }

}  // namespace

void Generator::prepare() {
    await_start();
    if (const core::Layout &recorded = recorded_layout(); !(recorded == settings.layout)) raise_other_layout(recorded);

    const core::Layout &layout = settings.layout;
    ticks_ = core::Ticks(layout);
    sequence_bits_ = layout.sequence().bits;
    sequence_mask_ = layout.sequence().max();
    sequence_shift_ = layout.sequence().shift;
    time_shift_ = layout.time().shift;
    const std::int64_t wait_ns = settings.clock_wait_ms * kNanosPerMilli;
    const std::int64_t drift_ns = settings.clock_drift_ms * kNanosPerMilli;
    const auto callers = static_cast<std::uint64_t>(MaxBackends);
    policy_ = core::ClockPolicy::of(wait_ns, drift_ns, ticks_.tick_ns(), callers, ticks_.capacity());
    start_lead_ns_ = core::start_lead_ns(ticks_, policy_.wait_ticks * ticks_.tick_ns(), reserve_ns());
    soft_limit_ = limit_ = 0;
    forget_horizon_places();
    static constinit bool counts_at_commit = false;
    if (!counts_at_commit) RegisterXactCallback([](XactEvent, void *) { generator.count_issued(); }, nullptr);
    counts_at_commit = true;
    ready_ = true;
}

void Generator::enter_tick(core::UnixNanos now) {
    if (!ready_) prepare();
    tick_ = ticks_.window(now, soft_limit_);
}

// An incarnation starts up to a reserve ahead of where the last one was, and the clock may have gone back meanwhile.
core::ClockPolicy Generator::policy_at(core::UnixNanos now) const noexcept {
    const std::int64_t until_start = shared->start_ns.load(std::memory_order_relaxed) - now.value;
    return policy_.with_more_drift(core::start_allowance_ns(start_lead_ns_, until_start) / ticks_.tick_ns());
}

// What the clock policy says of the next position; ends with one that is taken and due, or with an error.
std::uint64_t Generator::take_slowly() {
    for (;;) {
        const std::uint64_t seen = shared->timeline.last();
        const core::UnixNanos now = pg::wall_clock();
        const core::Decision d = shared->timeline.take(ticks_, policy_at(now), seen, now, limit_);
        if (d.ahead > 0) watch_clock();
        switch (d.verdict) {
            case core::Verdict::wait: wait_for(d.due_tick, d.ahead); [[fallthrough]];
            case core::Verdict::issue:
                if (d.position >= soft_limit_) extend(d.position, Patience::none);
                return d.position;
            case core::Verdict::full: wait_for(d.due_tick, d.ahead); break;
            case core::Verdict::refuse: raise_clock_behind(d);
            case core::Verdict::at_limit:
                if (limit_ == ticks_.end()) raise_ended();
                extend(d.position, Patience::any);
                break;
        }
        if (!ready_) prepare();
    }
}

core::Run Generator::next_run(std::uint64_t want) {
    if (!ready_) prepare();
    core::Run run = take_run(want);
    if (run.count == 0) {
        // A batch that has had its share of this tick leaves the rest of it to others; and while ids are dated ahead of
        // the clock it takes one a tick, so that it does not carry everybody further.
        const std::int64_t now_tick = ticks_.at(pg::wall_clock());
        const std::int64_t ahead = ticks_.tick_of(shared->timeline.last()) - now_tick;
        if (ahead == 0 || ahead > policy_.wait_ticks) {
            wait_for(now_tick + 1, 0);
            run = take_run(want);
        }
    }
    if (run.count == 0) run = {take_slowly(), 1};
    issued_ += static_cast<std::int64_t>(run.count);
    return run;
}

core::Run Generator::take_run(std::uint64_t want) const noexcept {
    return shared->timeline.take_run(ticks_, ticks_.window(pg::wall_clock(), soft_limit_), want);
}

// Learns how far the horizon lets this backend go so that `position` can be taken, and raises it where it must.
void Generator::extend(std::uint64_t position, Patience patience) {
    count_issued();
    tick_ = {};
    soft_limit_ = limit_;
    const core::UnixNanos now = pg::wall_clock();  // before it is judged: it may leap in between
    if (const core::ClockReport report = believe_clock(); report.step == core::ClockStep::leap) {
        if (patience == Patience::any) raise_leap(report.by_ns);
        return;
    }
    const core::HorizonGoal goal = core::horizon_goal(ticks_, now, position, reserve_ns());
    std::int64_t horizon = 0;
    if (!raise_horizon(kDefaultGenerator, goal, patience, horizon)) return;
    limit_ = std::max(limit_, core::limit_of(ticks_, {horizon}));
    soft_limit_ = limit_ > position ? position + (limit_ - position) / 2 : limit_;
}

void Generator::count_issued() noexcept {
    if (issued_ == 0) return;
    count(shared->counters.issued, issued_);
    issued_ = 0;
}

// Returns when the clock has reached the tick, or when the time that it was away has passed: a clock that is set back
// meanwhile makes nobody wait longer.
void Generator::wait_for(std::int64_t tick, std::int64_t ahead) const {
    const core::UnixNanos due = ticks_.start(tick), now = pg::wall_clock();
    std::int64_t left = due.value - now.value;
    if (left <= 0) return;
    const std::int64_t began = pg::monotonic_ns(), deadline = began + left;
    if (ahead > 0 && now.value >= shared->behind_until_ns.load(std::memory_order_relaxed))
        count(shared->counters.overflows);
    while (left > 0) {
        sleep_slice(std::min(left, kLongestSlice));
        left = std::min(due.value - pg::wall_clock().value, deadline - pg::monotonic_ns());
    }
    count(shared->counters.waits);
    count(shared->counters.wait_ns, pg::monotonic_ns() - began);
}

void Generator::raise_clock_behind(const core::Decision &d) const {
    const core::UnixNanos position = ticks_.start(ticks_.tick_of(d.position));
    count_refusal("the clock is behind");
    ereport(ERROR, (errcode(ERRCODE_SYSTEM_ERROR),
                    errmsg("the clock is %s behind the snowflakes that have been issued",
                           shown_duration(d.ahead * ticks_.tick_ns())),
                    errdetail("The last one is of %s, and snowid.clock_drift lets ids be %s ahead of the clock.",
                              shown_time(position), shown_duration(settings.clock_drift_ms * kNanosPerMilli)),
                    errhint("Check the server's time source. Ids are issued again when the clock has caught up.")));
}

void Generator::raise_leap(std::int64_t by_ns) const {
    count_refusal("the clock has leapt");
    ereport(ERROR, (errcode(ERRCODE_SYSTEM_ERROR), errmsg("the clock has leapt forward by %s", shown_duration(by_ns)),
                    errdetail("It says %s now. Ids of a time that has not come could not be taken back.",
                              shown_time(pg::wall_clock())),
                    errhint("If the clock is right, a superuser can run: SELECT snowid_clock_accept();")));
}

void Generator::raise_ended() const {
    count_refusal("the layout has ended");
    ereport(ERROR,
            (errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE), errmsg("the time of the snowflake layout has run out"),
             errdetail("Layout %s ended at %s.", pg::layout_text(settings.layout),
                       timestamptz_to_str(pg::to_timestamptz(settings.layout.last_generated_time())))));
}

}  // namespace snowid::server
