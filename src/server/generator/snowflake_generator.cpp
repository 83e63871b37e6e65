#include "server/generator/snowflake_generator.hpp"

#include "pg/time.hpp"
#include "server/durable/await_start.hpp"
#include "server/durable/layout_record.hpp"
#include "server/generator/overflow.hpp"
#include "server/named/generator_record.hpp"
#include "server/number/slots.hpp"
#include "server/shared/clock_guard.hpp"
#include "server/shared/settings.hpp"
#include "server/shared/shared.hpp"

extern "C" {
#include "access/parallel.h"
}

namespace snowid::server {

constinit SnowflakeGenerator snowflake_generator;

void SnowflakeGenerator::prepare(For purpose) {
    drop_stretches();
    await_start();
    if (is_default()) {
        require_layout_of_server();
        attach_default();
        composer_.follow(settings.layout, shared->number(kScheme).bits);
    } else if (const GeneratorRecord record = attach_named(purpose); record.worker) {
        composer_.keep(record.layout_in_force(), *record.worker);
    } else {
        composer_.follow(record.layout_in_force(), shared->number(kScheme).bits);
    }
    policy_ = SnowflakePolicy::of(reserve_.ticks());
    stretches_.begin(core::Stretches::longest_of(reserve_.ticks().capacity()));
    hold_.forget();
    safe_horizon_.begin(slot_, version_, reserve_.generator());
    ready_ = true;
}

[[gnu::always_inline]] inline void SnowflakeGenerator::begin() {
    if (!ready_ || has_changed()) prepare();
    if (!takes_part_) take_part();
    if (asks_first_) require_ids_of_now();
}

void SnowflakeGenerator::enter_tick() {
    begin();
    const core::Ticks &ticks = reserve_.ticks();
    const std::int64_t tick = ticks.at(pg::near_clock.read());
    tick_ = ticks.window_of(tick, reserve_.soft_limit());
    hold(tick);
    if (!asks_first_) tick_span_ = pg::near_clock.span_until(tick_.end);
}

// Asks the clock policy for the next position, until it gives out one that is due, or raises an error.
std::uint64_t SnowflakeGenerator::next_slowly() {
    const core::Ticks &ticks = reserve_.ticks();
    for (;;) {
        begin();
        const Composition composition = composer_.now();
        const std::uint64_t seen = slot_->timeline.last();
        const core::UnixNanos now = pg::wall_clock();
        hold(ticks.at(now));
        const core::Decision d = slot_->timeline.take(ticks, policy_.at(now, *slot_), seen, now, reserve_.hard_limit());
        if (has_changed()) continue;
        if (d.ahead > 0) watch_clock();
        switch (d.verdict) {
            case core::Verdict::wait: await_clock(*slot_, ticks.start(d.due_tick), d.ahead > 0); [[fallthrough]];
            case core::Verdict::make:
                if (d.position >= reserve_.soft_limit()) extend(wanted(d.position, seen), IfBusy::give_up);
                ++issued_;
                return composition.id_at(d.position);
            case core::Verdict::full: await_clock(*slot_, ticks.start(d.due_tick), d.ahead > 0); break;
            case core::Verdict::refuse:
                count_refusal(*slot_, "the clock is behind");
                raise_clock_behind(composer_.layout(), ticks, d.position, d.ahead);
            case core::Verdict::at_limit:
                if (reserve_.hard_limit() == ticks.end()) raise_ended(*slot_, composer_.layout());
                extend(wanted(d.position, seen), IfBusy::wait);
        }
    }
}

// Comes before the first position of a transaction, and once a millisecond. What an earlier transaction has kept is
// held, and then the word must still stand: a sample of the safe horizon may have revoked it.
void SnowflakeGenerator::enter_stretch() {
    begin();
    if (IsParallelWorker()) return;
    if (!look_span_.holds(pg::near_clock.count())) {
        const core::UnixNanos now = pg::near_clock.read();
        count_skipped(stretches_.look({pg::boot_ns(), now}));
        follow_stretches();
        look_span_ = pg::near_clock.span_until({now.value + core::kNanosPerMilli});
    }
    if (!std::exchange(is_spreading_, true)) {
        stretches_.begin_transaction();
        if (!stretches_.is_empty()) {
            hold_.from({word_.from()}, reserve_.generator());
            if (!word_.stands()) drop_stretches();
        }
    }
    if (!asks_first_) stretch_span_ = look_span_;
}

[[gnu::noinline]] std::uint64_t SnowflakeGenerator::spread_slowly() {
    begin();
    if (!has_stretch()) {
        const std::uint64_t id = next();
        stretches_.count_alone();
        return id;
    }
    const Composition composition = composer_.now();
    const std::uint64_t position = stretches_.take();
    if (has_changed()) return next();
    ++issued_;
    return composition.id_at(position);
}

// Whether there is a position to use, after one has been taken if need be: in the tick of the clock, and below the soft
// limit. The word comes before the positions.
bool SnowflakeGenerator::has_stretch() {
    if (!is_spreading_) return false;
    const bool goes_on = stretches_.go_on();
    if (!goes_on) count_skipped(stretches_.make_room());
    follow_stretches();
    if (goes_on) return !stretches_.is_empty();
    const std::uint64_t want = stretches_.wanted();
    if (want == 1) return false;
    const core::Ticks &ticks = reserve_.ticks();
    const std::int64_t tick = ticks.at(pg::near_clock.read());
    const core::UnixNanos start = ticks.start(tick);
    hold(tick);
    const bool is_first = stretches_.is_empty();
    if (is_first && !word_.say(own_holder_if_any(), reserve_.generator(), start.value)) return false;
    const core::Run run = slot_->timeline.take_stretch(ticks, ticks.window_of(tick, reserve_.soft_limit()), want);
    if (run.count != 0)
        stretches_.add(run, {start, ticks.start(tick + 1)});
    else if (is_first)
        word_.end();
    return run.count != 0;
}

void SnowflakeGenerator::follow_stretches() {
    if (!word_.follow(stretches_.oldest_ns())) drop_stretches();
}

SnowflakeRun SnowflakeGenerator::next_run(std::uint64_t want) {
    begin();
    SnowflakeRun run = take_run(want);
    if (run.positions.count == 0) {
        const std::int64_t now_tick = reserve_.ticks().at(pg::wall_clock());
        const std::int64_t ahead = reserve_.ticks().tick_of(slot_->timeline.last()) - now_tick;
        if (policy_.steady.batch_waits(ahead)) {
            await_clock(*slot_, reserve_.ticks().start(now_tick + 1), false);
            run = take_run(want);
        }
    }
    if (run.positions.count == 0) return {{next_slowly(), 1}, Composition::none()};
    issued_ += static_cast<std::int64_t>(run.positions.count);
    return run;
}

SnowflakeRun SnowflakeGenerator::take_run(std::uint64_t want) {
    if (!ready_) return {};
    const Composition composition = composer_.now();
    const core::Ticks &ticks = reserve_.ticks();
    const std::int64_t tick = ticks.at(pg::wall_clock());
    hold(tick);
    const core::Run positions = slot_->timeline.take_run(ticks, ticks.window_of(tick, reserve_.soft_limit()), want);
    if (has_changed()) return {};
    return {positions, composition};
}

// Equal times count the sequence up, and go on into the ticks that follow.
std::uint64_t SnowflakeGenerator::next_at(TimestampTz time) {
    for (;;) {
        if (!ready_ || has_changed()) prepare();
        if (!takes_part_) take_part();
        require_ids_of_given_times();
        const core::UnixNanos given =
            given_.give(*slot_, time, "snowflake", composer_.layout().epoch, composer_.layout().last_generated_time());
        const Composition composition = composer_.now();
        const std::uint64_t seen = slot_->timeline.last();
        const core::Decision d =
            slot_->timeline.take(reserve_.ticks(), core::ClockPolicy::none(), seen, given, reserve_.hard_limit());
        if (has_changed()) continue;
        if (d.verdict == core::Verdict::make) {
            ++issued_;
            return composition.id_at(d.position);
        }
        if (reserve_.hard_limit() == reserve_.ticks().end()) raise_ended(*slot_, composer_.layout());
        extend_given(given, wanted(d.position, seen));
    }
}

std::uint64_t SnowflakeGenerator::safe_horizon() {
    if (!ready_ || has_changed()) prepare(For::safe_horizon);
    if (given_.are_given()) raise_no_safe_horizon_of_given_times();
    return safe_horizon_.ask(slot_->timeline, reserve_.ticks());
}

}  // namespace snowid::server
