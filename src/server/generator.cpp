#include "server/generator.hpp"

#include <algorithm>

#include "pg/compat.hpp"
#include "pg/error.hpp"
#include "pg/time.hpp"
#include "server/clock.hpp"
#include "server/generator_record.hpp"
#include "server/layout_record.hpp"
#include "server/settings.hpp"
#include "server/start.hpp"
#include "server/wait.hpp"

extern "C" {
#include "access/xact.h"
#include "miscadmin.h"
#include "storage/ipc.h"
#include "utils/memutils.h"
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

// Until the clock says this, ids are ahead of it for a known reason.
std::int64_t behind_until_ns(const Slot &slot) {
    return std::max(shared->behind_until_ns.load(std::memory_order_relaxed),
                    slot.start_ns.load(std::memory_order_relaxed));
}

void count_refusal(Slot &slot, const char *why) {
    count(slot.counters.refusals);
    std::int64_t held_back = 0;
    if (shared->refusal_log.admit(pg::monotonic_ns(), held_back))
        ereport(
            LOG,
            (errmsg("snowid: ids are refused, because %s (refused so often since the last message: " INT64_FORMAT ")",
                    why, held_back + 1)));
}

const char *shown_time(core::UnixNanos t) { return pstrdup(timestamptz_to_str(pg::to_timestamptz({t.value / 1000}))); }

// The last time that was given is not known any more, but ids are hardly dated further ahead of it than this.
SlotStart start_of(const core::Ticks &ticks, std::int64_t horizon_ns) {
    const std::int64_t given_ns = horizon_ns == 0 ? INT64_MIN : horizon_ns - settings.clock_drift_ms * kNanosPerMilli;
    return {core::start_after(ticks, {horizon_ns}), horizon_ns, core::floor_div(given_ns, 1000)};
}

[[noreturn]] void raise_no_given_times(const char *name) {
    const char *hint = "Make one with snowid_generator_create(..., backfill => true).";
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("generator \"%s\" makes ids of the current time only", name), errhint("%s", hint)));
}

[[noreturn]] void raise_going_back(const char *name, TimestampTz time, std::int64_t last_us) {
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("the times given to generator \"%s\" must not go back", name),
                    errdetail("%s is before the last one, %s.", pstrdup(timestamptz_to_str(time)),
                              pstrdup(timestamptz_to_str(pg::to_timestamptz({last_us}))))));
}

[[noreturn]] void raise_given_times_only(const char *name) {
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("generator \"%s\" makes ids of given times only", name),
                    errdetail("It was made with backfill => true."), errhint("Use snowflake_at(t, '%s').", name)));
}

// What this backend has of named generators. They stay: statements point to them.
constinit Generator *named = nullptr;

// A slot that is no longer known to be the generator's is given up here: nobody is in the middle of using it.
void end_transaction(XactEvent, void *) {
    count_all_issued();
    for (Generator *g = named; g != nullptr; g = g->next_named)
        if (!g->is_ready()) g->leave();
}

void leave_all(int, Datum) {
    for (Generator *g = named; g != nullptr; g = g->next_named) g->leave();
}

void watch_transactions() {
    static constinit bool watching = false;
    if (watching) return;
    RegisterXactCallback(end_transaction, nullptr);
    before_shmem_exit(leave_all, Datum{0});
    watching = true;
}

}  // namespace

Generator::Generator(std::string_view name) noexcept { name_size_ = name.copy(name_, sizeof name_ - 1); }

void forget_named_generators() noexcept {
    for (Generator *g = named; g != nullptr; g = g->next_named) g->forget();
}

void settings_changed() noexcept {
    generator.forget();
    forget_named_generators();
}

void count_all_issued() noexcept {
    generator.count_issued();
    for (Generator *g = named; g != nullptr; g = g->next_named) g->count_issued();
}

Generator &named_generator(std::string_view name) {
    for (Generator *g = named; g != nullptr; g = g->next_named)
        if (g->is_named(name)) return *g;
    await_start();
    const GeneratorRecord record = require_record(name);
    require_scheme(record, Scheme::snowflake);
    auto *made = new (MemoryContextAlloc(TopMemoryContext, sizeof(Generator))) Generator(record.name);
    made->next_named = named;
    named = made;
    return *made;
}

void Generator::prepare() {
    await_start();
    watch_transactions();
    if (name_size_ == 0)
        attach_default();
    else
        attach_named();
    const core::Ticks &ticks = horizon_.ticks;
    const std::int64_t wait_ns = settings.clock_wait_ms * kNanosPerMilli;
    const std::int64_t drift_ns = settings.clock_drift_ms * kNanosPerMilli;
    const auto callers = static_cast<std::uint64_t>(MaxBackends);
    policy_ = core::ClockPolicy::of(wait_ns, drift_ns, ticks.tick_ns(), callers, ticks.capacity());
    start_lead_ns_ = core::start_lead_ns(ticks, policy_.wait_ticks * ticks.tick_ns(), reserve_ns());
    soft_limit_ = limit_ = 0;
    ready_ = true;
}

void Generator::attach_default() {
    if (const core::Layout &recorded = recorded_layout(); !(recorded == settings.layout)) raise_other_layout(recorded);
    slot_ = &shared->slot;
    worker_bits_ = &shared->worker_bits;
    adopt(settings.layout);
    horizon_ = default_horizon_holder();
}

void Generator::attach_named() {
    for (;;) {
        leave();
        const std::uint64_t changes = slot_changes();
        const GeneratorRecord record = require_record({name_, name_size_});
        require_scheme(record, Scheme::snowflake);
        check_record(record);
        if (attach(record, changes)) return;
        CHECK_FOR_INTERRUPTS();
    }
}

bool Generator::attach(const GeneratorRecord &record, std::uint64_t changes) {
    const core::Layout layout = record.layout_in_force();
    const core::Ticks ticks(layout, record.sequences());
    HorizonRow row{};
    if (!read_horizon(record.id, row)) raise_horizon_missing();
    slot_ = use_slot(record.key(), record.info(), changes, start_of(ticks, row.horizon_ns));
    if (slot_ == nullptr) return false;
    version_ = slot_->version.load();
    if (slot_changes() != changes) return false;
    horizon_ = {record.id, slot_, ticks, InvalidOid, {}};
    backfill_ = record.backfill;
    own_worker_bits_.store(layout.place_worker(record.worker_in_force()), std::memory_order_relaxed);
    worker_bits_ = record.worker ? &own_worker_bits_ : &shared->worker_bits;
    adopt(layout);
    return true;
}

void Generator::adopt(const core::Layout &layout) {
    layout_ = layout;
    sequence_mask_ = layout.sequence().max();
    sequence_shift_ = layout.sequence().shift;
}

void Generator::leave() noexcept {
    forget();
    if (slot_ == nullptr) return;
    count_issued();
    if (name_size_ != 0) leave_slot(*slot_);
    slot_ = nullptr;
}

void Generator::enter_tick(core::UnixNanos now) {
    if (!ready_) prepare();
    if (backfill_) raise_given_times_only(name_);
    tick_ = horizon_.ticks.window(now, soft_limit_);
}

// An incarnation starts up to a reserve ahead of where the last one was, and the clock may have gone back meanwhile.
core::ClockPolicy Generator::policy_at(core::UnixNanos now) const noexcept {
    const std::int64_t until_start = slot_->start_ns.load(std::memory_order_relaxed) - now.value;
    return policy_.with_more_drift(core::start_allowance_ns(start_lead_ns_, until_start) / horizon_.ticks.tick_ns());
}

std::uint64_t Generator::take_slowly() {
    for (;;) {
        if (!ready_ || has_changed()) prepare();
        if (std::uint64_t position = 0; take_by_policy(position)) return position;
    }
}

// What the clock policy says of the next position: true with one that is taken and due, false where it is to be asked
// again, or an error.
bool Generator::take_by_policy(std::uint64_t &position) {
    const std::uint64_t seen = slot_->timeline.last();
    const core::UnixNanos now = pg::wall_clock();
    const core::Decision d = slot_->timeline.take(horizon_.ticks, policy_at(now), seen, now, limit_);
    if (has_changed()) return false;
    if (d.ahead > 0) watch_clock();
    position = d.position;
    switch (d.verdict) {
        case core::Verdict::wait: wait_for(d.due_tick, d.ahead); [[fallthrough]];
        case core::Verdict::issue:
            if (d.position >= soft_limit_) extend(d.position, Patience::none);
            return true;
        case core::Verdict::full: wait_for(d.due_tick, d.ahead); break;
        case core::Verdict::refuse: raise_clock_behind(d);
        case core::Verdict::at_limit:
            if (limit_ == horizon_.ticks.end()) raise_ended();
            extend(d.position, Patience::any);
    }
    return false;
}

core::Run Generator::next_run(std::uint64_t want) {
    if (!ready_) prepare();
    if (backfill_) raise_given_times_only(name_);
    core::Run run = take_run(want);
    if (run.count == 0) {
        // A batch that has had its share of this tick leaves the rest of it to others; and while ids are dated ahead of
        // the clock it takes one a tick, so that it does not carry everybody further.
        const std::int64_t now_tick = horizon_.ticks.at(pg::wall_clock());
        const std::int64_t ahead = horizon_.ticks.tick_of(slot_->timeline.last()) - now_tick;
        if (ahead == 0 || ahead > policy_.wait_ticks) {
            wait_for(now_tick + 1, 0);
            run = take_run(want);
        }
    }
    if (run.count == 0) run = {take_slowly(), 1};
    issued_ += static_cast<std::int64_t>(run.count);
    return run;
}

core::Run Generator::take_run(std::uint64_t want) noexcept {
    if (!ready_) return {0, 0};
    const core::TickWindow tick = horizon_.ticks.window(pg::wall_clock(), soft_limit_);
    const core::Run run = slot_->timeline.take_run(horizon_.ticks, tick, want);
    return has_changed() ? core::Run{0, 0} : run;
}

// Equal times count the sequence up, and on into the ticks that follow.
std::uint64_t Generator::next_at(TimestampTz time) {
    constexpr core::ClockPolicy kHoweverFarAhead{.wait_ticks = 0, .drift_ticks = INT64_MAX / 2};
    for (;;) {
        if (!ready_ || has_changed()) prepare();
        if (!backfill_) raise_no_given_times(name_);
        const core::UnixNanos given = given_time(time);
        const core::Decision d =
            slot_->timeline.take(horizon_.ticks, kHoweverFarAhead, slot_->timeline.last(), given, limit_);
        if (has_changed()) continue;
        if (d.verdict == core::Verdict::issue) {
            ++issued_;
            return id_at(d.position);
        }
        if (limit_ == horizon_.ticks.end()) raise_ended();
        extend_from(given, d.position, Patience::any);
    }
}

core::UnixNanos Generator::given_time(TimestampTz time) const {
    const core::UnixMicros t = pg::to_unix(time);
    const core::UnixMicros last = std::min(layout_.last_generated_time(), core::UnixMicros{INT64_MAX / 1000});
    if (t < layout_.epoch || t > last) pg::raise_time_out_of_range("snowflake", time, layout_.epoch, last);
    std::int64_t known = slot_->given_us.load();
    while (known < t.value && !slot_->given_us.compare_exchange_weak(known, t.value)) {
    }
    if (known > t.value) raise_going_back(name_, time, known);
    return {t.value * 1000};
}

// Learns how far the horizon lets this backend go so that `position` can be taken, and raises it where it must.
void Generator::extend(std::uint64_t position, Patience patience) {
    const core::UnixNanos now = pg::wall_clock();  // before it is judged: it may leap in between
    if (const core::ClockReport report = believe_clock(); report.step == core::ClockStep::leap) {
        if (patience == Patience::any) raise_leap(report.by_ns);
        tick_ = {};
        soft_limit_ = limit_;
        return;
    }
    extend_from(now, position, patience);
}

void Generator::extend_from(core::UnixNanos now, std::uint64_t position, Patience patience) {
    count_issued();
    tick_ = {};
    soft_limit_ = limit_;
    const core::HorizonGoal goal = core::horizon_goal(horizon_.ticks, now, position, reserve_ns());
    std::int64_t horizon = 0;
    if (!raise_horizon(horizon_, goal, patience, horizon) || !ready_) return;
    limit_ = std::max(limit_, core::limit_of(horizon_.ticks, {horizon}));
    soft_limit_ = limit_ > position ? position + (limit_ - position) / 2 : limit_;
}

void Generator::count_issued() noexcept {
    if (issued_ == 0) return;
    count(slot_->counters.issued, issued_);
    issued_ = 0;
}

// Returns when the clock has reached the tick, or when the time that it was away has passed: a clock that is set back
// meanwhile makes nobody wait longer.
void Generator::wait_for(std::int64_t tick, std::int64_t ahead) const {
    const core::UnixNanos due = horizon_.ticks.start(tick), now = pg::wall_clock();
    std::int64_t left = due.value - now.value;
    if (left <= 0) return;
    const std::int64_t began = pg::monotonic_ns(), deadline = began + left;
    if (ahead > 0 && now.value >= behind_until_ns(*slot_)) count(slot_->counters.overflows);
    while (left > 0) {
        sleep_slice(std::min(left, kLongestSlice));
        left = std::min(due.value - pg::wall_clock().value, deadline - pg::monotonic_ns());
    }
    count(slot_->counters.waits);
    count(slot_->counters.wait_ns, pg::monotonic_ns() - began);
}

void Generator::raise_clock_behind(const core::Decision &d) const {
    const core::UnixNanos position = horizon_.ticks.start(horizon_.ticks.tick_of(d.position));
    count_refusal(*slot_, "the clock is behind");
    ereport(ERROR, (errcode(ERRCODE_SYSTEM_ERROR),
                    errmsg("the clock is %s behind the snowflakes that have been issued",
                           shown_duration(d.ahead * horizon_.ticks.tick_ns())),
                    errdetail("The last one is of %s, and snowid.clock_drift lets ids be %s ahead of the clock.",
                              shown_time(position), shown_duration(settings.clock_drift_ms * kNanosPerMilli)),
                    errhint("Check the server's time source. Ids are issued again when the clock has caught up.")));
}

void Generator::raise_leap(std::int64_t by_ns) const {
    count_refusal(*slot_, "the clock has leapt");
    ereport(ERROR, (errcode(ERRCODE_SYSTEM_ERROR), errmsg("the clock has leapt forward by %s", shown_duration(by_ns)),
                    errdetail("It says %s now. Ids of a time that has not come could not be taken back.",
                              shown_time(pg::wall_clock())),
                    errhint("If the clock is right, a superuser can run: SELECT snowid_clock_accept();")));
}

void Generator::raise_ended() const {
    count_refusal(*slot_, "the layout has ended");
    ereport(ERROR,
            (errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE), errmsg("the time of the snowflake layout has run out"),
             errdetail("Layout %s ended at %s.", pg::layout_text(layout_),
                       timestamptz_to_str(pg::to_timestamptz(layout_.last_generated_time())))));
}

}  // namespace snowid::server
