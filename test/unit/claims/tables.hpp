// The tables of a database as one transaction sees them: horizon/*, extension/* and PostgreSQL's own part.
#pragma once

#include <algorithm>

#include "claims/server_number.hpp"

namespace snowid::test::claims {

enum class PendingChange { free_at_abort, look_again_at_commit, new_claim_at_commit, free_at_commit };

struct Pending {
    Xid of;
    PendingChange change;
    SlotKey key;
};

struct Transaction {
    std::vector<Xid> xids;  // the transaction, and its open subtransactions
    std::vector<Pending> pending;
};

// The part of a process that concerns tables. A parallel worker sees its leader's transaction, and has no pending
// changes.
struct Session {
    Server &s;
    Database &db;
    Transaction *transaction = nullptr;
    bool is_worker = false;

    bool is_mine(Xid xid) const {
        if (transaction == nullptr || xid == kCommitted) return false;
        return std::find(transaction->xids.begin(), transaction->xids.end(), xid) != transaction->xids.end();
    }
    bool sees(const Record &record) const {
        return (record.xmin == kCommitted || is_mine(record.xmin)) && !is_mine(record.xmax);
    }
    bool sees(const HorizonRow &row) const { return row.xmin == kCommitted || is_mine(row.xmin); }
    Xid xid() const { return transaction == nullptr ? kCommitted : transaction->xids.back(); }

    template <typename See>
    void each_record(See see) const {
        for (const Record &record : db.records)
            if (sees(record)) see(record);
    }

    bool claims_end_at_commit(const SlotKey &key) const {
        if (transaction == nullptr || is_worker) return false;
        return std::any_of(transaction->pending.begin(), transaction->pending.end(), [&](const Pending &pending) {
            const bool ends =
                pending.change == PendingChange::new_claim_at_commit || pending.change == PendingChange::free_at_commit;
            return ends && pending.key == key;
        });
    }
};

inline bool find_record(const Session &session, int name, Record &record) {
    bool found = false;
    session.each_record([&](const Record &candidate) {
        if (candidate.name != name) return;
        record = candidate;
        found = true;
    });
    return found;
}

inline Record require_record(const Session &session, int name) {
    Record record;
    if (!find_record(session, name, record)) throw Refused{};
    return record;
}

inline const core::Layout &layout_in_force(const Record &record) {
    return record.layout != nullptr ? *record.layout : *record.recorded;
}

inline void check_record(const Server &s, const Record &record) {
    if (record.scheme == Scheme::sno) return;
    const core::Layout &layout = layout_in_force(record);
    const bool is_of_server = &layout == s.layout && (record.overlap || record.recorded == s.layout);
    if (!layout.same_time_as(*record.recorded) || record.number.value_or(0) > layout.max_worker() ||
        (!record.number && !is_of_server) ||
        record.sequences.value_or(core::SequenceRange{0, 0}).max > layout.sequence().max())
        throw Refused{};
}

inline SlotInfo info_of(const Server &s, const Record &record) {
    const core::Layout &layout = record.scheme == Scheme::sno ? s.usual_layout : layout_in_force(record);
    const core::SequenceRange all = all_sequences(record.scheme, layout);
    return {record.name,
            record.scheme,
            record.backfill,
            &layout,
            record.sequences.value_or(all),
            !record.overlap && (record.scheme == Scheme::sno || record.recorded == s.layout),
            !record.number,
            record.number.value_or(s.number(record.scheme).bits)};
}

inline SlotKey key_of(const Database &db, const Record &record) { return {db.oid, db.table, record.id}; }

inline bool is_first(const Session &session, std::int64_t generator) {
    return std::any_of(session.db.rows.begin(), session.db.rows.end(), [&](const HorizonRow &row) {
        return row.generator == generator && session.sees(row) && row.is_of_sql;
    });
}

inline bool read_horizon(const Session &session, std::int64_t generator, UsedUp &used) {
    bool found = false;
    for (const HorizonRow &row : session.db.rows) {
        if (row.generator != generator || !session.sees(row)) continue;
        used = found ? core::merged(used, row.used_up()) : row.used_up();
        found = true;
    }
    return found;
}

inline void add_horizon_row(Session &session, std::int64_t generator, const UsedUp &used) {
    session.db.rows.push_back(
        {.generator = generator, .used = used, .xmin = session.xid(), .tid = ++session.s.last_tid});
}

// Whether this covers ids of this time; for snos, those with that tick-tock bit.
inline bool covers(const UsedUp &used, Scheme scheme, UnixNanos time, bool tick_tock) {
    if (scheme == Scheme::snowflake || (used.toggles & 1) == tick_tock) return time < used.horizon;
    return core::SnoUnits::at(time) <= used.safe;
}

// The same for the rows that survive a crash, and what survives the database.
inline bool is_durable(const Session &session, Scheme scheme, std::int64_t generator, bool is_backfill,
                       bool ticks_of_server, UnixNanos time, bool tick_tock) {
    UsedUp used{};
    const bool is_gone = !read_horizon(session, generator, used);
    core::Floor floor = session.s.floors[at(scheme)];
    const bool is_under_floor = generator == default_generator(scheme)
                                    ? covers(floor.own, scheme, time, tick_tock)
                                    : is_backfill || time < floor.of_named(ticks_of_server);
    return is_gone || (covers(used, scheme, time, tick_tock) && is_under_floor);
}

struct GeneratorHorizon {
    std::int64_t generator = 0;
    Scheme scheme{};
    Slot *slot = nullptr;
    core::Ticks ticks;
    int tid = 0;  // of the row found last
};

inline GeneratorHorizon default_horizon(Server &s, Scheme scheme) {
    return {default_generator(scheme), scheme, &s.default_slot(scheme), core::Ticks(*s.layout), 0};
}

inline bool is_higher(const UsedUp &a, const UsedUp &b) {
    return a.toggles != b.toggles ? a.toggles > b.toggles : a.horizon > b.horizon;
}

inline HorizonRow *find_row(Session &session, std::int64_t generator, int tid) {
    HorizonRow *found = nullptr;
    for (HorizonRow &row : session.db.rows) {
        if (row.generator != generator || !session.sees(row)) continue;
        if (row.tid == tid) return &row;
        const bool own = row.xmin != kCommitted, found_own = found != nullptr && found->xmin != kCommitted;
        if (found != nullptr && (own != found_own ? own : !is_higher(row.used, found->used))) continue;
        found = &row;
    }
    return found;
}

// Locks the row. The caller takes the steps that change it.
inline Task<HorizonRow *> lock_row(Session &session, GeneratorHorizon &of) {
    for (;;) {
        HorizonRow *row = find_row(session, of.generator, of.tid);
        if (row == nullptr) throw Refused{};
        of.tid = row->tid;
        if (!row->locked) {
            row->locked = true;
            co_return row;
        }
        co_await step();
    }
}

inline void note_made(const GeneratorHorizon &of, UnixNanos end) { advance_to(of.slot->made_until_ns, end.value); }

inline void note_advanced(Slot &slot, UnixNanos horizon) { advance_to(slot.highest_horizon_ns, horizon.value); }

// A row that is not frozen is written even if it has not changed, so that its commit is flushed.
inline void unlock_row(HorizonRow &row, const HorizonRow &changed, bool has_changed) {
    if (has_changed || !row.is_frozen) {
        row.used = changed.used;
        row.is_of_sql = changed.is_of_sql;
        row.is_frozen = row.xmin == kCommitted;
    }
    row.locked = false;
}

inline Task<> cover(Session &session, GeneratorHorizon &of, const UsedUp &used, bool is_of_sql) {
    HorizonRow *locked = co_await lock_row(session, of);
    HorizonRow row = *locked;
    const UsedUp before = row.used_up();
    row.used = core::merged(before, used);
    bool changed = !(row.used_up() == before);
    if (is_of_sql && of.generator > 0) {
        changed = changed || !row.is_of_sql;
        row.is_of_sql = true;
    } else if (changed && !is_of_sql) {
        row.is_of_sql = false;
    }
    unlock_row(*locked, row, changed);
}

inline Task<> cover_horizon(Session &session, GeneratorHorizon &of, const UsedUp &used) {
    co_await cover(session, of, used, false);
}

inline Task<> cover_restored(Session &session, GeneratorHorizon &of, const UsedUp &used) {
    co_await cover(session, of, used, true);
}

inline Task<> skip_past_locked(Server &s, const GeneratorHorizon &of, const UsedUp &used) {
    co_await lock_slots(s);
    co_await skip_past(*of.slot, of.scheme, of.ticks, used);
    unlock_slots(s);
}

inline core::HorizonGoal goal_of(const GeneratorHorizon &of, UnixNanos now, std::uint64_t position) {
    if (of.scheme == Scheme::snowflake)
        return core::horizon_goal(now, of.ticks.end_of(position), core::horizon_margin_ns(of.ticks), kReserveNs);
    const UnixNanos end = core::SnoUnits::start(static_cast<std::int64_t>(position) + 1);
    return core::horizon_goal(now, end, core::kSnoMarginNs, kReserveNs);
}

inline std::uint64_t limit_of(const GeneratorHorizon &of, UnixNanos horizon) {
    if (of.scheme == Scheme::snowflake) return core::limit_of(of.ticks, horizon);
    return static_cast<std::uint64_t>(core::SnoUnits::limit_of(horizon));
}

inline Task<bool> advance_snowflake_row(Server &s, GeneratorHorizon &of, const core::HorizonGoal &goal, HorizonRow &row,
                                        UnixNanos &horizon) {
    if (row.used.horizon.value > of.slot->highest_horizon_ns) co_await skip_past_locked(s, of, row.used_up());
    const bool enough = row.used.horizon >= goal.enough;
    if (!enough) row.used.horizon = goal.target;
    horizon = row.used.horizon;
    note_made(of, horizon);
    if (!enough) note_advanced(*of.slot, horizon);
    co_return !enough;
}

inline bool is_unseen(const Slot &slot, const HorizonRow &row) {
    const UsedUp used = row.used_up();
    if (row.generator == default_generator(Scheme::sno) && row.is_of_sql)
        return first_time_after(Scheme::sno, used) > first_time_after(Scheme::sno, used_by(slot, Scheme::sno));
    const std::uint64_t toggles = slot.snos.toggles();
    return used.toggles > toggles || (used.toggles == toggles && row.used.horizon.value > slot.highest_horizon_ns);
}

inline Task<bool> advance_sno_row(Server &s, GeneratorHorizon &of, std::uint64_t seen, const core::HorizonGoal &goal,
                                  HorizonRow &row, UnixNanos &horizon) {
    horizon = {0};
    const UsedUp before = row.used_up();
    if (is_unseen(*of.slot, row)) {
        co_await skip_past_locked(s, of, before);
        co_return false;
    }
    UsedUp used{};
    if (!of.slot->snos.advanced(seen, goal.target, used)) co_return false;
    const bool same_bit = before.toggles == used.toggles;
    const bool enough = same_bit && before.safe >= used.safe && before.horizon >= goal.enough;
    if (!enough) row.used = core::merged(before, used);
    horizon = row.used.horizon;
    note_made(of, first_time_after(Scheme::sno, row.used_up()));
    if (!enough) note_advanced(*of.slot, horizon);
    co_return !enough;
}

inline std::int64_t layout_of_floor(const Server &s, Scheme scheme) {
    return scheme == Scheme::snowflake && s.layout == &s.wide_layout ? 1 : 0;
}

inline void begin_number_of_floor(const Server &s, Scheme scheme, core::Floor &floor, std::uint32_t number) {
    if (s.in_fleet) number = UINT32_MAX;
    if (s.fault == Fault::floor_has_no_number) floor.number = number;
    if (s.fault == Fault::layout_is_no_number) floor.layout = layout_of_floor(s, scheme);
    floor.begin_number(number, layout_of_floor(s, scheme));
}

inline void advance_floor(Server &s, const GeneratorHorizon &of, const UsedUp &used) {
    core::Floor &floor = s.floors[at(of.scheme)];
    const UnixNanos end = first_time_after(of.scheme, used);
    begin_number_of_floor(s, of.scheme, floor, s.number(of.scheme).bits);
    if (of.generator == default_generator(of.scheme))
        floor.own = core::merged(floor.own, used);
    else if (s.fault != Fault::floor_is_own) {
        const SlotInfo &info = of.slot->info;
        UnixNanos &named = floor.of_named(has_ticks_of_server(s, info));
        const UnixNanos latest{s.now().value + kDriftNs};
        named = std::max(named, info.backfill ? std::min(end, latest) : counted(s, info, end));
    }
}

// A generator of a row may be of either scheme, and have any ticks.
inline void raise_floor(Server &s, std::int64_t generator, const UsedUp &used) {
    if (s.fault == Fault::restore_leaves_floor) return;
    for (const Scheme scheme : kSchemes) {
        const bool is_own = generator == default_generator(scheme);
        if (generator <= 0 && !is_own) continue;
        core::Floor &floor = s.floors[at(scheme)];
        const UnixNanos end = first_time_after(is_own ? scheme : Scheme::sno, used);
        const UnixNanos counted = std::min(end, s.latest_believed());
        if (s.fault != Fault::restore_begins_no_number) begin_number_of_floor(s, scheme, floor, s.number(scheme).bits);
        if (is_own) floor.own = core::merged(floor.own, end == counted ? used : UsedUp::all_before(counted));
        for (const bool ticks_of_server : {true, false}) {
            if (is_own) continue;
            UnixNanos &named = floor.of_named(ticks_of_server);
            named = std::max(named, counted);
            advance_to(s.number(scheme).past_of(ticks_of_server).named_until_ns, counted.value);
        }
        if (end > counted) s.is_whole = false;
    }
}

inline Task<UnixNanos> advance_horizon(Session &session, GeneratorHorizon &of, std::uint64_t seen,
                                       const core::HorizonGoal &goal) {
    HorizonRow *locked = co_await lock_row(session, of);
    HorizonRow row = *locked;
    UnixNanos horizon{0};
    bool has_changed = false;
    if (of.scheme == Scheme::snowflake)
        has_changed = co_await advance_snowflake_row(session.s, of, goal, row, horizon);
    else
        has_changed = co_await advance_sno_row(session.s, of, seen, goal, row, horizon);
    if (has_changed) row.is_of_sql = false;
    const UsedUp used = row.used_up();
    unlock_row(*locked, row, has_changed);
    co_await step();
    if (horizon.value != 0) advance_floor(session.s, of, used);
    co_return horizon;
}

}  // namespace snowid::test::claims
