#include "server/generator/sno_generator.hpp"

#include "pg/error.hpp"
#include "pg/time.hpp"
#include "server/durable/await_start.hpp"
#include "server/generator/overflow.hpp"
#include "server/named/generator_record.hpp"
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

// Returns when the clock has reached the instant, although it may stand still or step back again in the meantime.
// Raises an error if it is too far behind.
void await_sno_clock(Slot &slot, core::UnixNanos due) {
    const std::int64_t until_ns = pg::monotonic_ns() + patience_ns();
    while (const std::int64_t left = std::max<std::int64_t>(due.value - pg::wall_clock().value, 0)) {
        if (left > until_ns - pg::monotonic_ns()) raise_sno_clock_behind(slot, due);
        log_behind(due);
        await_clock(slot, due, false);
    }
}

// No sno has the clock's time.
[[noreturn]] void raise_out_of_time(Slot &slot) {
    count_refusal(slot, "the clock is outside the range of snos");
    ereport(ERROR, (errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE), errmsg("the clock is outside the range of snos"),
                    errdetail("Snos have times from %s to %s.",
                              pstrdup(timestamptz_to_str(pg::to_timestamptz(core::Sno::Time::first()))),
                              pstrdup(timestamptz_to_str(pg::to_timestamptz(core::Sno::Time::last()))))));
}

// The clock has stepped back. If it is past the safe unit, ids continue with the other bit.
void toggle(Slot &slot, const core::SnoBounds &bounds, const core::SnoPolicy &policy) {
    lock_slots(LW_EXCLUSIVE);
    const core::SnoToggle begun = slot.snos.begin_toggle(policy, pg::wall_clock);
    if (begun.verdict == core::SnoVerdict::toggle) {
        slot.highest_horizon_ns.store(0);
        slot.version.fetch_add(1);
        slot.snos.finish_toggle(bounds, begun);
    }
    unlock_slots();
}

}  // namespace

constinit SnoGenerator sno_generator;

void SnoGenerator::begin() {
    if (!ready_ || has_changed()) prepare();
    if (!takes_part_) take_part();
    if (asks_first_) require_ids_of_now();
}

void SnoGenerator::prepare() {
    await_start();
    if (is_default()) {
        attach_default();
        partition_ = &shared->number(kScheme).bits;
        bounds_ = {};
    } else {
        const GeneratorRecord record = attach_named(For::ids);
        const core::SequenceRange range = record.sequences();
        bounds_ = {static_cast<std::uint32_t>(range.min), static_cast<std::uint32_t>(range.max)};
        own_partition_.store(record.number_in_force(), std::memory_order_relaxed);
        partition_ = record.partition ? &own_partition_ : &shared->number(kScheme).bits;
    }
    const auto callers = static_cast<std::uint64_t>(MaxBackends);
    policy_ = core::SnoPolicy::of(settings.clock_wait_ns(), settings.reserve_ns(), callers, bounds_);
    ready_ = true;
}

// Does what the decision asks for. Returns true with an id that is taken and due, or false to try again.
bool SnoGenerator::settle(std::uint64_t seen, const core::SnoDecision &d) {
    switch (d.verdict) {
        case core::SnoVerdict::wait: await_clock(*slot_, core::SnoUnits::start(d.due_unit), true); [[fallthrough]];
        case core::SnoVerdict::make:
            if (d.position.unit >= soft_limit()) extend(wanted(d.position.unit, seen), IfBusy::give_up);
            return true;
        case core::SnoVerdict::full: await_clock(*slot_, core::SnoUnits::start(d.due_unit), true); break;
        case core::SnoVerdict::behind:
            watch_clock();
            await_sno_clock(*slot_, core::SnoUnits::start(d.due_unit));
            break;
        case core::SnoVerdict::toggle:
            watch_clock();
            toggle(*slot_, bounds_, policy_);
            break;
        case core::SnoVerdict::at_limit:
            if (hard_limit() == core::SnoUnits::kEnd) raise_out_of_time(*slot_);
            extend(wanted(d.due_unit, seen), IfBusy::wait);
            break;
        case core::SnoVerdict::look_again: break;
        case core::SnoVerdict::out_of_time: raise_out_of_time(*slot_);
    }
    CHECK_FOR_INTERRUPTS();
    return false;
}

core::SnoRun SnoGenerator::next_run(std::uint64_t want) {
    const auto most = static_cast<std::uint32_t>(std::min<std::uint64_t>(want, core::SnoTimeline::kLargestRun));
    for (;;) {
        if (!takes_part_ || asks_first_ || has_changed()) begin();
        const core::SnoBounds share = bounds_.batch_share();
        const core::SnoPolicy policy{.max_ahead = 0, .patience = policy_.patience};
        const std::uint32_t partition = this->partition();
        const std::uint64_t seen = slot_->snos.look();
        std::uint32_t count = most;
        const core::SnoDecision d = slot_->snos.take_run(share, policy, seen, pg::wall_clock(), hard_limit(), count);
        if (has_changed()) continue;
        if (d.verdict == core::SnoVerdict::full) {
            await_clock(*slot_, core::SnoUnits::start(d.due_unit), false);
        } else if (settle(seen, d)) {
            issued_ += count;
            return {d.position, partition, count};
        }
    }
}

// Equal times count the sequence up, and go on into the units that follow.
core::Sno SnoGenerator::next_at(TimestampTz time, std::int64_t metabyte) {
    for (;;) {
        if (!ready_ || has_changed()) prepare();
        if (!takes_part_) take_part();
        require_ids_of_given_times();
        const core::UnixNanos given =
            given_.give(*slot_, time, "sno", core::Sno::Time::first(), core::Sno::Time::last());
        std::int64_t unit = core::SnoUnits::at(given);
        const std::uint32_t partition = this->partition();
        const std::uint64_t seen = slot_->snos.look();
        core::SnoDecision d = slot_->snos.take_dated(bounds_, unit, hard_limit());
        while (d.verdict == core::SnoVerdict::behind || d.verdict == core::SnoVerdict::full) {
            unit = d.due_unit;
            d = slot_->snos.take_dated(bounds_, unit, hard_limit());
        }
        if (has_changed()) continue;
        if (d.verdict == core::SnoVerdict::make) {
            ++issued_;
            return core::from_position(d.position, metabyte, partition);
        }
        if (d.verdict == core::SnoVerdict::out_of_time || hard_limit() == core::SnoUnits::kEnd)
            raise_out_of_time(*slot_);
        extend_given(given, wanted(d.due_unit, seen));
    }
}

}  // namespace snowid::server
