// The server's number and the slots: number/server_number.cpp and number/slots.cpp.
#pragma once

#include "claims/scheme.hpp"

namespace snowid::test::claims {

inline SlotInfo server_info(const Server &s, Scheme scheme, std::uint32_t number) {
    const core::Layout *layout = scheme == Scheme::sno ? &s.usual_layout : s.layout;
    return {0, scheme, false, layout, all_sequences(scheme, *layout), true, true, number};
}

inline bool takes_number_of_server(const Server &s, const SlotInfo &named, std::uint32_t number) {
    return named.is_apart && !named.follows_server && could_meet(named, server_info(s, named.scheme, number));
}

inline bool takes_number_of_directory(const Server &s, const SlotInfo &named) {
    const core::WorkerRange range = s.shared->tenure.range;
    if (named.follows_server) return false;
    if (named.scheme == Scheme::sno || named.layout == s.layout) return range.holds(named.number);
    return named.layout->same_time_as(*s.layout) &&
           core::overlap(claim_of(named), *s.layout, range.first, std::min(range.last, s.layout->max_worker()));
}

inline bool takes_number_in_force(const Server &s, const SlotInfo &named) {
    return s.in_fleet ? takes_number_of_directory(s, named)
                      : takes_number_of_server(s, named, s.number(named.scheme).bits);
}

inline bool takes_number_of_server(const Server &s, const SlotInfo &named) {
    if (s.in_fleet) return takes_number_of_directory(s, named);
    const ServerNumber &n = s.number(named.scheme);
    return takes_number_of_server(s, named, n.bits) || takes_number_of_server(s, named, n.next) ||
           takes_number_of_server(s, named, n.wanted);
}

// Of generators of given times no number is had by others here.
inline UnixNanos first_free_time(const Server &s, const SlotInfo &info, bool is_new) {
    const UnixNanos tenure{info.follows_server ? s.shared->tenure.from_ns : 0};
    if (info.backfill) return tenure;
    const bool ticks_of_server = has_ticks_of_server(s, info);
    const ClockedPast &past = s.number(info.scheme).past_of(ticks_of_server);
    const Slot &own = s.default_slot(info.scheme);
    UnixNanos end{std::max(tenure.value, past.given_up_until_ns)};
    if (ticks_of_server) end = std::max(end, first_unused_time(own, own.info));
    if (!is_new) return end;
    s.for_each_slot([&](const Slot &slot) {
        if (slot.info.scheme == info.scheme && !slot.info.backfill && could_meet(slot.info, info))
            end = std::max(end, end_of_made(slot));
    });
    return s.fault == Fault::restored_begins_low ? end : std::max(end, UnixNanos{past.named_until_ns});
}

inline UsedUp used_before_next(const Server &s, Scheme scheme) {
    const UnixNanos durable{s.number(scheme).used_until_ns};
    if (s.fault == Fault::no_starting_point) return {{0}, 0, 0};
    if (s.fault == Fault::tick_goes_on) return UsedUp::all_before(durable);
    const UnixNanos free = first_free_time(s, server_info(s, scheme, s.number(scheme).next), true);
    return UsedUp::all_before(std::max({{s.now().value + kDriftNs}, durable, free}));
}

// Changes the number within a tick. A starting point above the server's own ids would finish the tick too.
inline Task<> begin_within_tick(Slot &slot, const SlotInfo &info, const UsedUp &used) {
    ++slot.version;
    co_await step();
    slot.info = info;
    if (info.scheme == Scheme::snowflake) slot.timeline.advance_to(core::start_after(ticks_of(info), used.horizon));
}

inline Task<> begin_next_number(Server &s, Slot &slot, const SlotInfo &info, const UsedUp &used) {
    if (s.fault == Fault::tick_goes_on) {
        co_await begin_within_tick(slot, info, used);
    } else {
        co_await begin_number(s, slot, info, used);
    }
}

inline Task<> put_in_force(Server &s, Scheme scheme, std::uint32_t number, const UsedUp &used) {
    co_await begin_next_number(s, s.default_slot(scheme), server_info(s, scheme, number), used);
    for (Slot &slot : s.shared->slots) {
        if (slot.key.generator == 0 || slot.info.scheme != scheme || !slot.info.follows_server) continue;
        const SlotInfo info = slot.info;
        co_await begin_next_number(s, slot, info, used);
    }
    s.number(scheme).bits = number;
}

inline Task<> install(Server &s, Scheme scheme) {
    ServerNumber &number = s.number(scheme);
    co_await lock_slots(s);
    for (Slot &slot : s.shared->slots) {
        if (slot.key.generator == 0 || slot.info.scheme != scheme || !takes_number_of_server(s, slot.info, number.next))
            continue;
        if (slot.users > 0) {
            number.holder = slot.info.name;
        } else {
            ++s.shared->slot_changes;
            co_await end_number_and_free(s, slot, false);
        }
    }
    if (number.holder == 0 || s.fault == Fault::holder_is_overrun) {
        co_await put_in_force(s, scheme, number.next, used_before_next(s, scheme));
    }
    unlock_slots(s);
}

// It changes its numbers, and which ones it gives out. Other servers have had the time before.
inline Task<> directory(Server &s) {
    static constexpr core::WorkerRange kRanges[] = {{3, 5}, {5, 5}, {12, 21}, {20, 20}};
    Tenure &tenure = s.shared->tenure;
    for (;;) {
        for (std::uint64_t i = below(s.random, 3000); i > 0; --i) co_await step();
        co_await lock_slots(s);
        const core::WorkerRange range = kRanges[below(s.random, std::size(kRanges))];
        const std::uint32_t number = s.chance(2) ? range.first : range.last;
        tenure.from_ns = s.now().value;
        tenure.range = range;
        ++s.shared->slot_changes;
        for (Slot &slot : s.shared->slots)
            if (slot.key.generator != 0 && takes_number_of_directory(s, slot.info))
                co_await end_number_and_free(s, slot, false);
        for (const Scheme scheme : kSchemes) {
            UnixNanos from = first_free_time(s, server_info(s, scheme, number), true);
            if (s.fault == Fault::tenure_overruns) from = {tenure.from_ns};
            co_await put_in_force(s, scheme, number, UsedUp::all_before(from));
        }
        tenure.is_in_force = true;
        unlock_slots(s);
    }
}

inline bool wants_other_numbers(const Server &s) {
    if (s.in_fleet) return false;
    return s.number(Scheme::snowflake).wanted != s.number(Scheme::snowflake).bits ||
           s.number(Scheme::sno).wanted != s.number(Scheme::sno).bits;
}

inline Task<> choose_next_numbers(Server &s) {
    co_await lock_slots(s);
    for (ServerNumber &number : s.shared->numbers) {
        number.next = number.wanted;
        number.used_until_ns = 0;
        number.holder = 0;
    }
    unlock_slots(s);
}

inline Task<> note_claim(Server &s, const SlotInfo &claim, const UsedUp &used) {
    if (s.in_fleet) co_return;
    ServerNumber &number = s.number(claim.scheme);
    const std::uint32_t next = number.next;
    if (!could_meet(claim, server_info(s, claim.scheme, next))) co_return;
    advance_to(number.used_until_ns, first_time_after(claim.scheme, used).value);
    if (claim.name == 0 || !takes_number_of_server(s, claim, next)) co_return;
    co_await lock_slots(s);
    number.holder = claim.name;
    unlock_slots(s);
}

inline Task<> start_numbers(Server &s) {
    co_await lock_slots(s);
    for (const Scheme scheme : kSchemes) {
        ServerNumber &number = s.number(scheme);
        if (!s.in_fleet) number.bits = number.next;
        Slot &own = s.default_slot(scheme);
        own.info = server_info(s, scheme, number.bits);
        const SlotInfo info = own.info;
        co_await begin_number(s, own, info, UsedUp::all_before({number.used_until_ns}));
        own.start_ns = own.highest_horizon_ns;
    }
    unlock_slots(s);
}

inline Task<> install_next_numbers(Server &s) {
    for (const Scheme scheme : kSchemes)
        if (s.number(scheme).bits != s.number(scheme).next) co_await install(s, scheme);
}

inline bool matches(const SlotKey &pattern, const SlotKey &key) {
    return pattern.database == key.database && (pattern.table == 0 || pattern.table == key.table) &&
           (pattern.generator == 0 || pattern.generator == key.generator);
}

inline Slot *slot_of(Server &s, const SlotKey &key) {
    Slot *found = nullptr;
    s.for_each_slot([&](Slot &slot) {
        if (slot.key == key) found = &slot;
    });
    return found;
}

inline Slot *free_slot(Server &s) {
    for (Slot &slot : s.shared->slots)
        if (slot.key.generator == 0 && slot.users == 0) return &slot;
    return nullptr;
}

struct SlotStart {
    UsedUp used;
    std::int64_t given_ns;
    bool is_first;
};

inline UsedUp used_of_number(const Server &s, const SlotInfo &info, const SlotStart &start) {
    return core::merged(start.used, UsedUp::all_before(first_free_time(s, info, start.is_first)));
}

inline Task<> begin_slot(Server &s, Slot &slot, const SlotKey &key, const SlotInfo &info, const SlotStart &start) {
    slot.key = key;
    slot.info = info;
    slot.highest_horizon_ns = slot.start_ns = slot.made_until_ns = 0;
    slot.given_ns = start.given_ns;
    const UsedUp nothing{{0}, 0, 0};
    if (info.scheme == Scheme::snowflake)
        slot.timeline.rewind_to(core::start_after(ticks_of(info), nothing.horizon));
    else
        slot.snos.resume(nothing);
    co_await step();
    co_await begin_number(s, slot, info, used_of_number(s, info, start));
}

inline bool same_claim(const SlotInfo &a, const SlotInfo &b) {
    return a.layout == b.layout && a.sequences == b.sequences && a.is_apart == b.is_apart &&
           a.follows_server == b.follows_server && (a.follows_server || a.number == b.number);
}

struct UsedSlot {
    Slot *slot = nullptr;
    std::uint64_t version = 0;
    std::uint64_t changes = 0;
};

inline Task<UsedSlot> use_slot(Server &s, const SlotKey &key, const SlotInfo &info, std::uint64_t changes,
                               const SlotStart &start) {
    co_await lock_slots(s);
    Slot *slot = nullptr;
    const bool current = s.shared->slot_changes == changes;
    const bool is_taken = takes_number_in_force(s, info);
    if (current && !is_taken) slot = slot_of(s, key);
    if (slot != nullptr && !same_claim(slot->info, info)) {
        ++s.shared->slot_changes;
        co_await begin_number(s, *slot, info, used_of_number(s, info, start));
    }
    if (current && !is_taken && slot == nullptr) {
        slot = free_slot(s);
        if (slot != nullptr) co_await begin_slot(s, *slot, key, info, start);
    }
    UsedSlot used{slot, 0, s.shared->slot_changes};
    if (slot != nullptr) {
        slot->info = info;
        ++slot->users;
        used.version = slot->version;
    }
    unlock_slots(s);
    if (is_taken || (current && slot == nullptr)) throw Refused{};
    co_return used;
}

inline Task<> end_numbers(Server &s, const SlotKey &pattern, bool free, bool is_rollback) {
    co_await lock_slots(s);
    ++s.shared->slot_changes;
    for (Slot &slot : s.shared->slots) {
        if (slot.key.generator == 0 || !matches(pattern, slot.key)) continue;
        co_await step();
        if (free)
            co_await end_number_and_free(s, slot, is_rollback);
        else
            co_await end_number(s, slot);
    }
    unlock_slots(s);
}

}  // namespace snowid::test::claims
