#include "server/generator/sno_generator.hpp"

#include "pg/clock.hpp"
#include "server/durable/await_start.hpp"
#include "server/generator/await_clock.hpp"
#include "server/generator/sno_clock.hpp"
#include "server/generator/sno_scheme.hpp"
#include "server/named/generator_record.hpp"
#include "server/shared/clock_guard.hpp"
#include "server/shared/settings.hpp"
#include "server/shared/shared.hpp"

extern "C" {
#include "miscadmin.h"
}

namespace snowid::server {

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
        const core::UnixNanos given = given_.give(*slot_, time, "sno", core::Sno::first_time(), core::Sno::last_time());
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
