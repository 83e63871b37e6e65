// Dumps, and the triggers that a restore meets: named/horizon_triggers.cpp and named/record_triggers.cpp.
#pragma once

#include "claims/changes.hpp"

namespace snowid::test::claims {

inline Dump dump_of(Server &s, const Database &db) {
    Dump dump;
    dump.layout = db.layout;
    for (const Scheme scheme : kSchemes) dump.ids[at(scheme)] = s.ids(db, scheme);
    for (Record record : db.records) {
        record.xmax = kCommitted;
        if (record.xmin == kCommitted) dump.records.push_back(record);
    }
    for (HorizonRow row : db.rows) {
        row.locked = false;
        if (row.xmin == kCommitted) dump.rows.push_back(row);
    }
    return dump;
}

// Nothing checks a restored claim before it is used, or before the next reload. So a dump must not hold a claim to the
// server's present number.
inline bool fits(const Server &s, const Dump &dump) {
    return std::none_of(dump.records.begin(), dump.records.end(), [&](const Record &record) {
        const SlotInfo info = info_of(s, record);
        return takes_number_of_server(s, info);
    });
}

inline Task<> take_in_row(Server &s, const HorizonRow &row) {
    for (const Scheme scheme : kSchemes)
        if (row.generator == default_generator(scheme))
            co_await skip_past_locked(s, default_horizon(s, scheme), row.used_up());
}

// One row per generator is enough: the existing row covers what the other one says, with either tick-tock bit.
inline Task<> cover_row(Session &b, const HorizonRow &row) {
    GeneratorHorizon horizon{row.generator, {}, nullptr, {}, 0};
    co_await cover_restored(b, horizon, UsedUp::all_before(first_time_after(Scheme::sno, row.used_up())));
}

inline Task<> horizon_incoming(Session &b, HorizonRow row) {
    row.is_of_sql = true;
    UsedUp known{};
    const bool is_known = read_horizon(b, row.generator, known);
    raise_floor(b.s, row.generator, row.used_up());
    co_await take_in_row(b.s, row);
    if (is_known)
        co_await cover_row(b, row);
    else
        add_horizon_row(b, row.generator, row.used);
}

inline bool is_same(const Record &a, const Record &b) {
    return a.id == b.id && a.name == b.name && a.scheme == b.scheme && a.overlap == b.overlap &&
           a.backfill == b.backfill && a.layout == b.layout && a.number == b.number && a.sequences == b.sequences;
}

inline bool is_known(const Session &b, const Record &added) {
    bool known = false;
    b.each_record([&](const Record &other) {
        if (other.id != added.id) return;
        known = known || is_same(added, other);
        if (!known && added.has_name() && other.has_name()) throw Refused{};
    });
    return known;
}

// Goes by the rows alone.
inline bool rows_could_meet(const Record &a, const Record &b) {
    if (a.scheme != b.scheme || a.number != b.number) return false;
    const bool is_open = !(a.has_name() && b.has_name()) && (a.layout == nullptr || b.layout == nullptr);
    if (!is_open && a.layout != b.layout) return false;
    const core::SequenceRange all{0, INT64_MAX};
    const core::SequenceRange of_a = a.sequences.value_or(all), of_b = b.sequences.value_or(all);
    return of_a.min <= of_b.max && of_b.min <= of_a.max;
}

inline void begin_restored(Session &b, const Record &added) {
    if (added.overlap) return;
    UnixNanos end{0};
    b.each_record([&](const Record &other) {
        if (other.id == added.id || other.overlap) return;
        const bool met = rows_could_meet(added, other);
        if (met && other.has_name()) throw Refused{};
        if (!met && (other.has_name() || !meets(b.s, added, other))) return;
        UsedUp given_up{};
        if (read_horizon(b, other.id, given_up)) end = std::max(end, first_time_after(Scheme::sno, given_up));
    });
    if (end.value != 0) add_horizon_row(b, added.id, UsedUp::all_before(end));
}

inline void generator_added(Session &b, const Record &added) {
    if (is_known(b, added)) return;
    if (added.has_name()) begin_restored(b, added);
    insert_record(b, added);
}

inline Task<> restore_horizons(Session &b, const Dump &dump) {
    for (const HorizonRow &row : dump.rows) {
        co_await horizon_incoming(b, row);
        co_await step();
    }
}

inline Task<> restore_generators(Session &b, const Dump &dump) {
    for (const Record &record : dump.records) {
        if (!record.has_name() && b.s.fault == Fault::restore_brings_no_past) continue;
        generator_added(b, record);
        co_await step();
    }
}

// The generators that are new here with the dump.
inline std::set<std::int64_t> new_generators(const Database &db, const Dump &dump) {
    std::set<std::int64_t> added;
    for (const Record &record : dump.records)
        if (record.has_name()) added.insert(record.id);
    for (const Record &record : db.records)
        if (record.has_name() && record.xmin == kCommitted) added.erase(record.id);
    return added;
}

// The ids of the database's own generators are already in the tables when a dump brings ids that they may meet. So a
// dump must not hold a past claim that meets one of theirs.
inline bool fits(const Session &b, const Dump &dump) {
    return std::none_of(dump.records.begin(), dump.records.end(), [&](const Record &record) {
        bool met = false;
        b.each_record([&](const Record &other) {
            met = met || (other.has_name() && !other.overlap && other.id != record.id && meets(b.s, other, record));
        });
        return met;
    });
}

// How many ids of claims that were given up a new generator could make again, because its row does not cover them.
inline int uncovered(const Session &b, const Record &added) {
    UsedUp used{};
    if (added.scheme != Scheme::snowflake || added.overlap || !read_horizon(b, added.id, used)) return 0;
    const core::Layout &layout = layout_in_force(added);
    const auto is_uncovered = [&](std::uint64_t id) {
        const core::Claim of_id{id & ((1ULL << layout.time().shift) - 1), 0, 0, {0, 0}};
        return core::overlap(claim_of(info_of(b.s, added)), of_id) &&
               core::to_micros(std::max(used.horizon, {b.s.promoted_ns})) <= layout.time_of(id);
    };
    std::ptrdiff_t count = 0;
    b.each_record([&](const Record &past) {
        if (past.has_name() || past.overlap || past.id == added.id || !meets(b.s, added, past)) return;
        const IdSet &ids = b.s.ids(b.db, added.scheme).named[past.id].all;
        count += std::count_if(ids.begin(), ids.end(), is_uncovered);
    });
    return static_cast<int>(count);
}

// Restores a dump in one transaction. Its tables come in any order.
inline Task<> restore(Server &s, Database &db) {
    while (db.locked) co_await step();
    db.locked = true;
    const Dump dump = s.dump;
    Session session{s, db};
    Transaction transaction;
    begin_transaction(session, transaction);
    bool commits = fits(s, dump);
    const bool is_new = !db.exists;
    try {
        const bool horizons_first = s.chance(2);
        if (commits && horizons_first) co_await restore_horizons(session, dump);
        if (commits) co_await restore_generators(session, dump);
        if (commits && !horizons_first) co_await restore_horizons(session, dump);
    } catch (const Refused &) {
        commits = false;
    }
    commits = commits && fits(s, dump) && (is_new || fits(session, dump));
    if (commits) {
        const std::set<std::int64_t> added = new_generators(db, dump);
        for (const Scheme scheme : kSchemes) {
            if (is_new)
                s.law(scheme).restore(s.ids(db, scheme), dump.ids[at(scheme)]);
            else
                s.law(scheme).restore_more(s.ids(db, scheme), dump.ids[at(scheme)], added);
        }
        for (const Record &record : dump.records)
            if (!is_new && record.has_name() && added.count(record.id) > 0)
                s.law(record.scheme).leaks += uncovered(session, record);
        ++(is_new ? s.restores : s.restores_in_use);
    }
    co_await end_transaction(session, commits);
    db.locked = false;
    s.falls = commits && s.mood.is_back_and_forth && s.chance(3);
}

}  // namespace snowid::test::claims
