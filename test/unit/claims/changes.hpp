// Changing records, and the end of a transaction: named/changes.cpp, named/claims.cpp and number/pending_changes.cpp.
#pragma once

#include "claims/tables.hpp"

namespace snowid::test::claims {

inline bool meets(const Server &s, const Record &a, const Record &b) {
    const SlotInfo of_a = info_of(s, a), of_b = info_of(s, b);
    return a.scheme == b.scheme &&
           (!of_a.layout->same_time_as(*of_b.layout) || core::overlap(claim_of(of_a), claim_of(of_b)));
}

inline bool clashes_with_server(const Server &s, const SlotInfo &info) {
    if (!info.is_apart || !info.follows_server) return takes_number_of_server(s, info);
    return could_meet(info, server_info(s, info.scheme, info.number));
}

inline void require_own_claim(const Session &b, const Record &record) {
    if (record.overlap) return;
    if (clashes_with_server(b.s, info_of(b.s, record))) throw Refused{};
    b.each_record([&](const Record &other) {
        if (other.id == record.id || !meets(b.s, record, other)) return;
        if (other.has_name() || b.claims_end_at_commit(key_of(b.db, other))) throw Refused{};
    });
}

inline Task<UnixNanos> end_of_past_claims(const Session &b, const Record &record) {
    UnixNanos end{0};
    b.each_record([&](const Record &other) {
        UsedUp used{};
        if (other.has_name() || other.id == record.id || !meets(b.s, record, other)) return;
        if (read_horizon(b, other.id, used)) end = std::max(end, first_time_after(record.scheme, used));
    });
    if (record.backfill) co_return end;
    const SlotInfo info = info_of(b.s, record);
    co_await lock_slots(b.s);
    end = std::max(end, first_free_time(b.s, info, true));
    unlock_slots(b.s);
    co_return end;
}

inline Record given_up(const Server &s, Record record) {
    const SlotInfo info = info_of(s, record);
    record.name = 0;
    record.sequences = info.sequences;
    record.number = info.number;
    record.layout = record.scheme == Scheme::sno ? nullptr : info.layout;
    return record;
}

inline void insert_record(const Session &b, Record record) {
    record.xmin = b.xid();
    record.xmax = kCommitted;
    record.recorded = b.db.layout;
    b.db.records.push_back(record);
}

inline void update_record(const Session &b, const Record &before, const Record &after) {
    for (Record &record : b.db.records)
        if (record.id == before.id && record.has_name() && b.sees(record)) record.xmax = b.xid();
    insert_record(b, after);
}

inline void add_pending_change(const Session &b, PendingChange change, const Record &record) {
    b.transaction->pending.push_back({b.xid(), change, key_of(b.db, record)});
}

// From here on, the generator makes nothing that `used` covers. That is durable.
inline Task<> skip_past(Session &b, const Record &record, const UsedUp &used) {
    const SlotInfo info = info_of(b.s, record);
    co_await lock_slots(b.s);
    Slot *slot = slot_of(b.s, key_of(b.db, record));
    unlock_slots(b.s);
    GeneratorHorizon horizon{record.id, record.scheme, slot, ticks_of(info), 0};
    if (horizon.slot != nullptr) co_await skip_past_locked(b.s, horizon, used);
    co_await step();
    co_await cover_horizon(b, horizon, used);
}

inline Task<> create_generator(Session &b, Record record, UsedUp state) {
    Record other;
    if (find_record(b, record.name, other)) throw Refused{};
    b.each_record([&](const Record &existing) { record.id = std::max(record.id, existing.id); });
    ++record.id;
    check_record(b.s, record);
    require_own_claim(b, record);
    co_await step();
    const int drops = b.s.law(record.scheme).drops;
    const UnixNanos end = co_await end_of_past_claims(b, record);
    if (!record.backfill) b.s.ids(b.db, record.scheme).named[record.id].begun = drops;
    state = core::merged(state, UsedUp::all_before(end));
    add_horizon_row(b, record.id, state);
    insert_record(b, record);
    add_pending_change(b, PendingChange::free_at_abort, record);
}

inline bool claims_the_same(const Record &a, const Record &b) {
    return a.layout == b.layout && a.number == b.number && a.sequences == b.sequences;
}

inline Task<> alter_generator(Session &b, const Record &before, const Record &after) {
    Record other;
    if (before.name != after.name && find_record(b, after.name, other)) throw Refused{};
    const bool claims_other = !claims_the_same(before, after) || before.overlap != after.overlap;
    check_record(b.s, after);
    if (claims_other) require_own_claim(b, after);
    co_await step();
    update_record(b, before, after);
    if (claims_other) {
        insert_record(b, given_up(b.s, before));
        const int drops = b.s.law(after.scheme).drops;
        const UnixNanos end = co_await end_of_past_claims(b, after);
        co_await step();
        if (b.s.fault != Fault::past_is_ignored) co_await skip_past(b, after, UsedUp::all_before(end));
        if (!after.backfill) b.s.ids(b.db, after.scheme).named[after.id].begun = drops;
    }
    add_pending_change(b, claims_other ? PendingChange::new_claim_at_commit : PendingChange::look_again_at_commit,
                       after);
}

inline void drop_generator(Session &b, const Record &record) {
    update_record(b, record, given_up(b.s, record));
    add_pending_change(b, PendingChange::free_at_commit, record);
}

inline Task<> apply(Session &b, Pending pending, bool committed) {
    if (committed == (pending.change == PendingChange::free_at_abort)) co_return;
    const bool free = pending.change == PendingChange::free_at_abort || pending.change == PendingChange::free_at_commit;
    co_await end_numbers(b.s, pending.key, free, !committed);
}

inline void commit_rows(Database &db, const Session &b) {
    db.records.remove_if([&](const Record &record) { return b.is_mine(record.xmax); });
    for (Record &record : db.records)
        if (b.is_mine(record.xmin)) record.xmin = kCommitted;
    for (HorizonRow &row : db.rows)
        if (b.is_mine(row.xmin)) {
            row.xmin = kCommitted;
            row.is_frozen = b.s.chance(4);  // by VACUUM
        }
}

template <typename IsGone>
void roll_back_rows(Database &db, IsGone is_gone) {
    db.records.remove_if([&](const Record &record) { return is_gone(record.xmin); });
    for (Record &record : db.records)
        if (is_gone(record.xmax)) record.xmax = kCommitted;
    db.rows.remove_if([&](const HorizonRow &row) { return is_gone(row.xmin); });
}

inline void begin_transaction(Session &b, Transaction &transaction) {
    transaction.xids = {++b.s.last_xid};
    b.transaction = &transaction;
}

// Others see what was committed before the transaction announces it.
inline Task<> end_transaction(Session &b, bool commits) {
    if (commits)
        commit_rows(b.db, b);
    else
        roll_back_rows(b.db, [&](Xid xid) { return b.is_mine(xid); });
    const std::vector<Pending> pending = b.transaction->pending;
    b.transaction = nullptr;
    for (const Pending &change : pending) {
        co_await step();
        co_await apply(b, change, commits);
    }
    co_await step();
    ++b.db.invalidations;
}

inline void savepoint(Session &b) { b.transaction->xids.push_back(++b.s.last_xid); }

inline void release(Session &b) {
    const Xid mine = b.transaction->xids.back();
    b.transaction->xids.pop_back();
    for (Record &record : b.db.records) {
        if (record.xmin == mine) record.xmin = b.xid();
        if (record.xmax == mine) record.xmax = b.xid();
    }
    for (HorizonRow &row : b.db.rows)
        if (row.xmin == mine) row.xmin = b.xid();
    for (Pending &pending : b.transaction->pending)
        if (pending.of == mine) pending.of = b.xid();
}

inline Task<> rollback_to_savepoint(Session &b) {
    const Xid mine = b.transaction->xids.back();
    roll_back_rows(b.db, [&](Xid xid) { return xid == mine; });
    b.transaction->xids.pop_back();
    std::vector<Pending> rest, gone;
    for (const Pending &pending : b.transaction->pending) (pending.of == mine ? gone : rest).push_back(pending);
    b.transaction->pending = rest;
    for (const Pending &change : gone) {
        co_await step();
        co_await apply(b, change, false);
    }
}

}  // namespace snowid::test::claims
