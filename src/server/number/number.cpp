#include "server/number/number.hpp"

#include "pg/time.hpp"
#include "server/shared/clock_guard.hpp"
#include "server/shared/settings.hpp"
#include "server/shared/shared.hpp"

namespace snowid::server {

core::UnixNanos end_of_given_times(const core::Ticks &ticks) {
    return {pg::wall_clock().value + core::given_lead_ns(ticks, settings.clock_drift_ns())};
}

std::int64_t last_given_us(core::UnixNanos horizon) {
    if (horizon.value == 0) return INT64_MIN;
    return core::to_micros({horizon.value - std::max(settings.clock_drift_ns(), core::kLongestGivenReserveNs)}).value;
}

namespace {

core::UnixNanos without_leap(core::UnixNanos time) {
    return {time.value - shared->clock.leap_ns(pg::clock_offset_ns(), settings.clock_jump_ns())};
}

// Ids with ticks are reserved up to two of them further.
core::UnixNanos at_most(core::UnixNanos end, core::UnixNanos latest, const core::Ticks &ticks) {
    const core::UnixNanos reached = std::max(without_leap(latest), {shared->reached_ns.load()});
    return std::min(end, {reached.value + 2 * std::min(ticks.tick_ns(), core::kLongestGivenReserveNs)});
}

// The first time that no given one has used in this incarnation with a number that has the same bits.
core::UnixNanos end_of_given(const SlotInfo &info) {
    core::UnixNanos end{0};
    for (const GivenPast &past : shared->given_past)
        if (past.scheme == info.scheme && end < past.until && core::overlap(past.claim, claim_of(info)))
            end = past.until;
    return end;
}

// How far ids have come that the slot's generator has made since it has the slot.
core::UnixNanos end_of_made(const Slot &slot) {
    return std::min(scheme_row(slot.info.scheme).first_unused_time(slot, slot.info),
                    core::UnixNanos{slot.made_until_ns.load()});
}

core::UnixNanos end_of_slots_that_meet(const SlotInfo &info) {
    core::UnixNanos end{0};
    for_each_slot([&](const Slot &slot) {
        if (slot.info.scheme == info.scheme && !slot.info.backfill && could_meet(slot.info, info))
            end = std::max(end, end_of_made(slot));
    });
    return end;
}

}  // namespace

bool has_ticks_of_server(const SlotInfo &info) {
    return !scheme_row(info.scheme).has_layout || info.layout.same_time_as(shared->layout);
}

ClockedPast &past_of(const SlotInfo &info) { return shared->number(info.scheme).past_of(has_ticks_of_server(info)); }

core::UnixNanos first_free_time(const SlotInfo &info, bool is_new) {
    const SchemeRow &scheme = scheme_row(info.scheme);
    // Time before the server's tenure belongs to other servers.
    core::UnixNanos end{info.follows_server ? shared->tenure.from_ns.load() : 0};
    if (info.backfill) return end;
    const ClockedPast &past = past_of(info);
    end = std::max({end, core::UnixNanos{past.given_up_until_ns.load()}, end_of_given(info)});
    // The number may have been the server's before, which has gone on from there with another one.
    const Slot &own = shared->default_slot(info.scheme);
    if (has_ticks_of_server(info)) end = std::max(end, scheme.first_unused_time(own, own.info));
    if (!is_new) return end;
    return std::max({end, core::UnixNanos{past.named_until_ns.load()}, end_of_slots_that_meet(info)});
}

core::UnixNanos at_most_the_clocks(core::UnixNanos end, const core::Ticks &ticks) {
    return at_most(end, latest_time(), ticks);
}

core::UnixNanos at_most_believed(core::UnixNanos end, const core::Ticks &ticks) {
    return at_most(end, {pg::wall_clock().value + 2 * (settings.clock_drift_ns() + settings.reserve_ns())}, ticks);
}

core::UnixNanos at_most_given(const core::Ticks &ticks, core::UnixNanos end) {
    return std::min(end, without_leap(end_of_given_times(ticks)));
}

void note_given(const SlotInfo &info, core::UnixNanos end) {
    lock_slots(LW_EXCLUSIVE);
    GivenPast &past = shared->given_past[info.number % std::size(shared->given_past)];
    core::Claim claim = claim_of(info);
    const bool is_of_same = past.scheme == info.scheme && past.number == info.number && past.claim.fixed == claim.fixed;
    if (is_of_same)
        claim.sequences = {std::min(claim.sequences.min, past.claim.sequences.min),
                           std::max(claim.sequences.max, past.claim.sequences.max)};
    if (is_of_same || end > past.until) past = {info.scheme, info.number, claim, std::max(end, past.until)};
    unlock_slots();
}

void begin_number(Slot &slot, const SlotInfo &info, const core::UsedUp &used) {
    const SchemeRow &scheme = scheme_row(info.scheme);
    end_number(slot);
    slot.info = info;
    scheme.skip_past(slot, scheme.ticks(info.layout, info.sequences), used);
    advance_to(slot.start_ns, used.horizon.value);
}

void rewind_number(Slot &slot, const SlotInfo &info, core::UnixNanos to) {
    const SchemeRow &scheme = scheme_row(info.scheme);
    slot.version.fetch_add(1);
    scheme.rewind(slot, info, to);
    const core::UnixNanos from =
        info.follows_server ? core::UnixNanos{shared->tenure.from_ns.load()} : core::UnixNanos{0};
    if (from > to) scheme.skip_past(slot, scheme.ticks(info.layout, info.sequences), core::UsedUp::all_before(from));
    slot.highest_horizon_ns.store(std::max(from, to).value);
    slot.made_until_ns.store(std::min(slot.made_until_ns.load(), to.value));
}

void end_number(Slot &slot) {
    slot.version.fetch_add(1);
    scheme_row(slot.info.scheme).finish_tick(slot);
    if (!slot.info.backfill) advance_to(past_of(slot.info).given_up_until_ns, end_of_made(slot).value);
}

void end_number_and_free(Slot &slot) {
    end_number(slot);
    free_slot(slot);
}

core::Claim claim_of(const SlotInfo &info) { return scheme_row(info.scheme).claim(info); }

bool could_meet(const SlotInfo &a, const SlotInfo &b) {
    return a.layout.same_time_as(b.layout) && core::overlap(claim_of(a), claim_of(b));
}

}  // namespace snowid::server
