#include "server/number/number.hpp"

#include <algorithm>

#include "pg/clock.hpp"
#include "server/base/settings.hpp"
#include "server/memory/shared.hpp"

namespace snowid::server {

core::UnixNanos latest_time() { return {pg::wall_clock().value + settings.clock_drift_ns()}; }

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

GivenPast &given_past(std::uint32_t number) { return shared->given_past[number % std::size(shared->given_past)]; }

}  // namespace

core::UnixNanos at_most_the_clocks(core::UnixNanos end) {
    return std::min(end, std::max(without_leap(latest_time()), {shared->reached_ns.load()}));
}

core::UnixNanos at_most_given(const core::Ticks &ticks, core::UnixNanos end) {
    return std::min(end, without_leap(end_of_given_times(ticks)));
}

void note_given(const SlotInfo &info, core::UnixNanos end) {
    if (!info.is_apart) return;
    lock_slots(true);
    GivenPast &past = given_past(info.number);
    if (end > past.until) past = {info.scheme, info.number, end};
    unlock_slots();
}

core::UnixNanos end_of_given(Scheme scheme, std::uint32_t number) {
    const GivenPast &past = given_past(number);
    return past.scheme == scheme && past.number == number ? past.until : core::UnixNanos{0};
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
}

void end_number(Slot &slot) {
    slot.version.fetch_add(1);
    scheme_row(slot.info.scheme).finish_tick(slot);
}

void end_number_and_free(Slot &slot) {
    end_number(slot);
    if (!slot.info.backfill) {
        const core::UnixNanos end = scheme_row(slot.info.scheme).first_unused_time(slot, slot.info);
        advance_to(shared->number(slot.info.scheme).given_up_until_ns, at_most_the_clocks(end).value);
    }
    free_slot(slot);
}

core::Claim claim_of(const SlotInfo &info) { return scheme_row(info.scheme).claim(info); }

bool could_meet(const SlotInfo &a, const SlotInfo &b) {
    return a.layout.same_time_as(b.layout) && core::overlap(claim_of(a), claim_of(b));
}

}  // namespace snowid::server
