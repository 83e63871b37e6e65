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

inline bool has_ticks_of_server(const Server &s, const SlotInfo &info) {
    return info.scheme == Scheme::sno || info.layout->same_time_as(*s.layout);
}

inline UnixNanos end_of_made(const Slot &slot) {
    return std::min(first_unused_time(slot, slot.info), UnixNanos{slot.made_until_ns});
}

enum class Why { other_number, freed, rolled_back };

inline bool is_forgotten(const Server &s, const Slot &slot, Why why) {
    if (slot.info.backfill) return true;
    if (why == Why::freed) return s.fault == Fault::freed_is_forgotten;
    return why == Why::rolled_back && s.fault == Fault::rollback_leaves_nothing;
}

inline UnixNanos counted(const Server &s, const SlotInfo &info, UnixNanos end) {
    if (s.fault != Fault::ticks_are_ignored || has_ticks_of_server(s, info)) return end;
    return std::min(end, {s.now().value + kReserveNs});
}

inline Task<> end_number(Server &s, Slot &slot, Why why = Why::other_number) {
    ++slot.version;
    co_await step();
    co_await finish_tick(slot);
    if (is_forgotten(s, slot, why)) co_return;
    advance_to(s.number(slot.info.scheme).past_of(has_ticks_of_server(s, slot.info)).given_up_until_ns,
               counted(s, slot.info, end_of_made(slot)).value);
}

inline Task<> begin_number(Server &s, Slot &slot, const SlotInfo &info, const UsedUp &used) {
    co_await end_number(s, slot);
    slot.info = info;
    co_await step();
    co_await skip_past(slot, info.scheme, ticks_of(info), used);
    advance_to(slot.start_ns, used.horizon.value);
}

inline Task<> end_number_and_free(Server &s, Slot &slot, bool is_rollback) {
    co_await end_number(s, slot, is_rollback ? Why::rolled_back : Why::freed);
    slot.key = {};
}

}  // namespace snowid::test::claims
