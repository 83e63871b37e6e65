// How ids are taken: generator/snowflake_generator.cpp and generator/sno_generator.cpp.
#pragma once

#include "claims/backend.hpp"

namespace snowid::test::claims {

class Generator : public DurableGenerator {
public:
    using DurableGenerator::DurableGenerator;

    // Makes one id, or a few.
    Task<> next() {
        if (s_.chance(4)) hear_of_changes();
        if (!ready_) co_await prepare();
        after_ = last_ids();
        bool made = false;
        if (scheme() == Scheme::snowflake && !info_.backfill) made = co_await take_run_of_snowflakes();
        while (!made) {
            if (!ready_ || has_changed()) co_await prepare();
            after_ = last_ids();
            if (scheme() == Scheme::sno)
                made = co_await take_sno();
            else if (info_.backfill)
                made = co_await take_dated_snowflake();
            else
                made = co_await take_snowflake();
        }
    }

private:
    Task<> prepare() {
        if (is_default())
            co_await attach_default();
        else
            co_await attach_named();
        const std::uint64_t capacity = horizon_.ticks.capacity();
        policy_ = core::ClockPolicy::of(kWaitNs, kDriftNs, horizon_.ticks.tick_ns(), kCallers, capacity);
        start_lead_ns_ = core::start_lead_ns(horizon_.ticks, policy_, kReserveNs);
        bounds_ = {static_cast<std::uint32_t>(info_.sequences.min), static_cast<std::uint32_t>(info_.sequences.max)};
        sno_policy_ = core::SnoPolicy::of(kWaitNs, kReserveNs, kCallers, bounds_);
        limit_ = {};
        ready_ = true;
    }

    core::ClockPolicy policy_at(UnixNanos now) const {
        const std::int64_t until_start = slot_->start_ns - now.value;
        return policy_.with_more_drift(core::start_allowance_ns(start_lead_ns_, until_start) /
                                       horizon_.ticks.tick_ns());
    }

    std::uint32_t in_id(std::uint32_t number) const {
        return s_.fault == Fault::number_after_position ? *number_ : number;
    }

    Task<> give_snowflakes(std::uint32_t number, core::Run run) {
        const core::Layout &layout = *info_.layout;
        const std::uint64_t mask = layout.sequence().max();
        for (; run.count > 0; --run.count, ++run.first) {
            const std::uint64_t bits = layout.sequence().place(run.first & mask) | layout.place_worker(in_id(number));
            give((run.first & ~mask) | bits, horizon_.ticks.start(horizon_.ticks.tick_of(run.first)), false, after_);
            co_await step();
        }
    }

    Task<bool> take_run_of_snowflakes() {
        const core::TickWindow tick = horizon_.ticks.window(s_.now(), limit_.soft);
        co_await step();
        const std::uint32_t number = *number_;
        co_await step();
        const core::Run run = slot_->timeline.take_run(horizon_.ticks, tick, 1 + below(s_.random, 8));
        co_await step();
        if (run.count == 0 || !is_confirmed()) co_return false;
        co_await step();
        co_await give_snowflakes(number, run);
        co_return true;
    }

    Task<bool> take_snowflake() {
        const std::uint32_t number = *number_;
        co_await step();
        const std::uint64_t seen = slot_->timeline.last();
        co_await step();
        const UnixNanos now = s_.now();
        co_await step();
        const core::Decision d = slot_->timeline.take(horizon_.ticks, policy_at(now), seen, now, limit_.hard);
        co_await step();
        if (!is_confirmed()) co_return false;
        switch (d.verdict) {
            case core::Verdict::wait: co_await wait(); [[fallthrough]];
            case core::Verdict::make: {
                if (d.position >= limit_.soft) co_await extend(d.position, seen);
                co_await give_snowflakes(number, {d.position, 1});
                co_return true;
            }
            case core::Verdict::full: co_await wait(); break;
            case core::Verdict::refuse: throw Refused{};
            case core::Verdict::at_limit: co_await extend(d.position, seen);
        }
        co_return false;
    }

    Task<bool> take_dated_snowflake() {
        const UnixNanos given = given_time();
        const std::uint32_t number = *number_;
        co_await step();
        const std::uint64_t seen = slot_->timeline.last();
        const core::Decision d =
            slot_->timeline.take(horizon_.ticks, core::ClockPolicy::none(), seen, given, limit_.hard);
        co_await step();
        if (!is_confirmed()) co_return false;
        if (d.verdict != core::Verdict::make) {
            co_await extend_from(given, d.position, seen);
            co_return false;
        }
        co_await give_snowflakes(number, {d.position, 1});
        co_return true;
    }

    Task<> give_snos(std::uint32_t partition, core::SnoPosition position, std::uint32_t count) {
        for (; count > 0; --count, ++position.sequence) {
            const auto unit = static_cast<std::uint64_t>(position.unit - kFirstUnit) << 1 | position.tick_tock;
            give(unit << 32 | in_id(partition) << 16 | position.sequence, core::SnoUnits::start(position.unit),
                 position.tick_tock, after_);
            co_await step();
        }
    }

    Task<bool> take_sno() {
        const std::uint32_t partition = *number_;
        co_await step();
        const std::uint64_t seen = slot_->snos.look();
        co_await step();
        const UnixNanos now = s_.now();
        co_await step();
        std::uint32_t count = 1 + static_cast<std::uint32_t>(below(s_.random, 8));
        const core::SnoDecision d =
            slot_->snos.take_run(bounds_, sno_policy_, seen, now, static_cast<std::int64_t>(limit_.hard), count);
        co_await step();
        if (!is_confirmed()) co_return false;
        switch (d.verdict) {
            case core::SnoVerdict::wait: co_await wait(); [[fallthrough]];
            case core::SnoVerdict::make: {
                const auto unit = static_cast<std::uint64_t>(d.position.unit);
                if (unit >= limit_.soft) co_await extend(unit, seen);
                co_await give_snos(partition, d.position, count);
                co_return true;
            }
            case core::SnoVerdict::full:
            case core::SnoVerdict::behind: co_await wait(); break;
            case core::SnoVerdict::toggle: co_await toggle(); break;
            case core::SnoVerdict::at_limit: co_await extend(static_cast<std::uint64_t>(d.due_unit), seen); break;
            case core::SnoVerdict::look_again: break;
            case core::SnoVerdict::out_of_time: throw Refused{};
        }
        co_return false;
    }

    Task<> toggle() {
        co_await lock_slots(s_);
        const core::SnoToggle begun = slot_->snos.begin_toggle(sno_policy_, [&] { return s_.now(); });
        if (begun.verdict == core::SnoVerdict::toggle) {
            co_await step();
            slot_->highest_horizon_ns = 0;
            ++slot_->version;
            co_await step();
            slot_->snos.finish_toggle(bounds_, begun);
            ++s_.toggles;
        }
        unlock_slots(s_);
    }

    static constexpr std::int64_t kFirstUnit = core::SnoUnits::at({1'767'225'000'000 * core::kNanosPerMilli});

    LastIds after_{};
    core::ClockPolicy policy_{};
    std::int64_t start_lead_ns_ = 0;
    core::SnoBounds bounds_{};
    core::SnoPolicy sno_policy_{};
};

}  // namespace snowid::test::claims
