#include "server/sno_generator.hpp"

#include "pg/error.hpp"
#include "pg/time.hpp"
#include "server/clock.hpp"
#include "server/generator_record.hpp"
#include "server/settings.hpp"
#include "server/shmem.hpp"
#include "server/sno_horizon.hpp"
#include "server/start.hpp"

extern "C" {
#include "miscadmin.h"
#include "utils/timestamp.h"
}

namespace snowid::server {

constinit SnoGenerator sno_generator;

namespace {

void log_behind(core::UnixNanos due) {
    std::int64_t held_back = 0;
    if (shared->behind_log.admit(pg::monotonic_ns(), held_back))
        ereport(LOG, (errmsg("snowid: callers for snos wait until %s",
                             timestamptz_to_str(pg::to_timestamptz({due.value / 1000}))),
                      errdetail("The clock says a time that is used up with either value of the tick-tock bit.")));
}

}  // namespace

void SnoGenerator::begin() {
    if (!ready_ || has_changed()) prepare();
    require_current_times();
}

void SnoGenerator::prepare() {
    await_start();
    if (is_default()) {
        attach_default(shared->sno_slot, default_horizon_holder(kScheme));
        partition_ = &shared->partition;
        bounds_ = {};
    } else {
        const GeneratorRecord record = attach_named();
        const core::SequenceRange range = record.sequences();
        bounds_ = {static_cast<std::uint32_t>(range.min), static_cast<std::uint32_t>(range.max)};
        own_partition_.store(record.partition_in_force(), std::memory_order_relaxed);
        partition_ = record.partition ? &own_partition_ : &shared->partition;
    }
    const auto callers = static_cast<std::uint64_t>(MaxBackends);
    policy_ = core::SnoPolicy::of(settings.clock_wait_ms * core::kNanosPerMilli, reserve_ns(), callers, bounds_);
    limit_ = {};
    ready_ = true;
}

// What is to be done for an id, or before it is asked for again: true where one is taken and due.
bool SnoGenerator::settle(std::uint64_t seen, const core::SnoDecision &d) {
    switch (d.verdict) {
        case core::SnoVerdict::wait: wait_until(core::SnoUnits::start(d.due_unit), true); [[fallthrough]];
        case core::SnoVerdict::issue:
            if (d.position.unit >= limit_.soft) extend(seen, d.position.unit, Patience::none);
            return true;
        case core::SnoVerdict::full: wait_until(core::SnoUnits::start(d.due_unit), true); break;
        case core::SnoVerdict::behind:
            watch_clock();
            log_behind(core::SnoUnits::start(d.due_unit));
            wait_until(core::SnoUnits::start(d.due_unit), false);
            break;
        case core::SnoVerdict::toggle:
            watch_clock();
            toggle(*slot_, bounds_, policy_);
            break;
        case core::SnoVerdict::at_limit:
            if (limit_.hard == core::SnoUnits::kEnd) raise_out_of_time();
            extend(seen, d.due_unit, Patience::any);
            break;
        case core::SnoVerdict::look_again: break;
        case core::SnoVerdict::out_of_time: raise_out_of_time();
    }
    CHECK_FOR_INTERRUPTS();
    return false;
}

core::SnoPosition SnoGenerator::next_run(std::uint64_t want, std::uint32_t &count) {
    const auto most = static_cast<std::uint32_t>(std::min<std::uint64_t>(want, core::SnoTimeline::kLargestRun));
    for (;;) {
        if (!ready_ || backfill_ || has_changed()) begin();
        const core::SnoBounds share = core::SnoTimeline::batch_share(bounds_);
        const core::SnoPolicy policy{.max_ahead = 0, .patience = policy_.patience};
        const std::uint64_t seen = slot_->snos.look();
        count = most;
        const core::SnoDecision d = slot_->snos.take_run(share, policy, seen, pg::wall_clock(), limit_.hard, count);
        if (has_changed()) continue;
        if (d.verdict == core::SnoVerdict::full) {
            wait_until(core::SnoUnits::start(d.due_unit), false);
        } else if (settle(seen, d)) {
            issued_ += count;
            return d.position;
        }
    }
}

// Equal times count the sequence up, and on into the units that follow.
core::Sno SnoGenerator::next_at(TimestampTz time, std::int64_t metabyte) {
    for (;;) {
        if (!ready_ || has_changed()) prepare();
        require_given_times();
        const core::UnixNanos given = given_time(time, "sno", core::Sno::first_time(), core::Sno::last_time());
        std::int64_t unit = core::SnoUnits::at(given);
        const std::uint64_t seen = slot_->snos.look();
        core::SnoDecision d = slot_->snos.take_dated(bounds_, unit, limit_.hard);
        while (d.verdict == core::SnoVerdict::behind || d.verdict == core::SnoVerdict::full) {
            unit = d.due_unit;
            d = slot_->snos.take_dated(bounds_, unit, limit_.hard);
        }
        if (has_changed()) continue;
        if (d.verdict == core::SnoVerdict::issue) return made(d.position, metabyte);
        if (d.verdict == core::SnoVerdict::out_of_time || limit_.hard == core::SnoUnits::kEnd) raise_out_of_time();
        extend_from(given, seen, d.due_unit, Patience::any);
    }
}

// Learns how far the horizon lets this backend go so that an id of the unit can be taken, and raises it where it must.
void SnoGenerator::extend(std::uint64_t seen, std::int64_t unit, Patience patience) {
    const core::UnixNanos now = pg::wall_clock();  // before it is judged: it may leap in between
    if (believes_clock(patience))
        extend_from(now, seen, unit, patience);
    else
        limit_.ask_at_the_end();
}

void SnoGenerator::extend_from(core::UnixNanos now, std::uint64_t seen, std::int64_t unit, Patience patience) {
    count_issued();
    limit_.ask_at_the_end();
    const core::HorizonGoal goal = core::sno_horizon_goal(now, unit, reserve_ns());
    std::int64_t horizon = 0;
    if (!raise_sno_horizon(horizon_, seen, goal, patience, horizon) || !ready_ || horizon == 0) return;
    limit_.raise(core::SnoUnits::limit_of({horizon}), unit);
}

void SnoGenerator::raise_out_of_time() const {
    count_refusal("the clock says what no sno can");
    ereport(ERROR, (errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE), errmsg("the clock is outside of the time of snos"),
                    errdetail("They are from %s to %s.",
                              pstrdup(timestamptz_to_str(pg::to_timestamptz(core::Sno::first_time()))),
                              pstrdup(timestamptz_to_str(pg::to_timestamptz(core::Sno::last_time()))))));
}

}  // namespace snowid::server
