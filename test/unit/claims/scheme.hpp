// How the schemes differ, and how a number begins and ends: scheme/*.cpp and number/number.cpp.
#pragma once

#include "claims/memory.hpp"

namespace snowid::test::claims {

inline core::SequenceRange all_sequences(Scheme scheme, const core::Layout &layout) {
    return {0, scheme == Scheme::snowflake ? layout.sequence().max() : core::SnoBounds::kLargest};
}

inline core::Ticks ticks_of(const SlotInfo &info) { return {*info.layout, info.sequences}; }

inline core::Claim claim_of(const SlotInfo &info) {
    if (info.scheme == Scheme::snowflake) return core::claim_of(*info.layout, info.number, info.sequences);
    constexpr int kSequenceBits = 16;
    return {std::uint64_t{info.number} << kSequenceBits, 0, kSequenceBits, info.sequences};
}

inline bool could_meet(const SlotInfo &a, const SlotInfo &b) {
    return a.layout->same_time_as(*b.layout) && core::overlap(claim_of(a), claim_of(b));
}

inline UnixNanos first_time_after(Scheme scheme, const UsedUp &used) {
    if (scheme == Scheme::snowflake) return used.horizon;
    return std::max(used.horizon, core::SnoUnits::start(used.safe + 1));
}

inline UnixNanos first_unused_time(const Slot &slot, const SlotInfo &info) {
    if (info.scheme == Scheme::sno) return first_time_after(Scheme::sno, slot.snos.used_up());
    const core::Ticks ticks(*info.layout);
    const std::uint64_t last = slot.timeline.last();
    return last == 0 ? UnixNanos{0} : ticks.end_of(last);
}

inline UsedUp used_by(const Slot &slot, Scheme scheme) {
    if (scheme == Scheme::snowflake) return {{slot.highest_horizon_ns}, 0, 0};
    const UsedUp used = slot.snos.used_up();
    return {std::max(used.horizon, {slot.highest_horizon_ns}), used.safe, used.toggles};
}

inline Task<> finish_tick(Slot &slot) {
    if (slot.info.scheme == Scheme::snowflake) {
        slot.timeline.finish_tick(core::Ticks(*slot.info.layout));
    } else {
        const UsedUp used = slot.snos.stop();
        co_await step();
        slot.snos.resume(used);
    }
}

inline Task<> skip_past(Slot &slot, Scheme scheme, const core::Ticks &ticks, const UsedUp &used) {
    if (scheme == Scheme::snowflake) {
        advance_to(slot.highest_horizon_ns, used.horizon.value);
        co_await step();
        slot.timeline.advance_to(core::start_after(ticks, used.horizon));
        co_return;
    }
    const UsedUp all = core::merged(slot.snos.used_up(), used);
    if (!(all == slot.snos.used_up())) {
        ++slot.version;
        co_await step();
        const UsedUp stopped = slot.snos.stop();
        co_await step();
        slot.snos.resume(core::merged(stopped, used));
    }
    advance_to(slot.highest_horizon_ns, all.horizon.value);
}

inline Task<> end_number(Slot &slot) {
    ++slot.version;
    co_await step();
    co_await finish_tick(slot);
}

inline Task<> begin_number(Slot &slot, const SlotInfo &info, const UsedUp &used) {
    co_await end_number(slot);
    slot.info = info;
    co_await step();
    co_await skip_past(slot, info.scheme, ticks_of(info), used);
    advance_to(slot.start_ns, used.horizon.value);
}

inline Task<> end_number_and_free(Server &s, Slot &slot, bool is_rollback) {
    co_await end_number(slot);
    const UnixNanos end = first_unused_time(slot, slot.info);
    const bool is_forgotten = s.fault == (is_rollback ? Fault::rollback_leaves_nothing : Fault::freed_is_forgotten);
    if (!slot.info.backfill && !is_forgotten) advance_to(s.number(slot.info.scheme).given_up_until_ns, end.value);
    slot.key = {};
}

}  // namespace snowid::test::claims
