// The server's worker, which carries out starts and reloads: start/start.cpp. Also a superuser who drops databases and
// restores dumps.
#pragma once

#include "claims/restore.hpp"

namespace snowid::test::claims {

inline Task<> read_horizons(Session &reader) {
    const std::list<HorizonRow> rows = reader.db.rows;
    for (const HorizonRow &row : rows) {
        if (!reader.sees(row)) continue;
        for (const Scheme scheme : kSchemes) {
            if (row.generator != default_generator(scheme)) continue;
            co_await skip_past_locked(reader.s, default_horizon(reader.s, scheme), row.used_up());
        }
        co_await step();
    }
}

inline Task<> read_claims(Session &reader) {
    std::vector<Record> records;
    reader.each_record([&](const Record &record) { records.push_back(record); });
    for (const Record &record : records) {
        UsedUp used{};
        if (!read_horizon(reader, record.id, used)) continue;
        const SlotInfo info = info_of(reader.s, record);
        const bool is_clocked = !record.backfill && has_ticks_of_server(reader.s, info);
        const std::int64_t ticks_ns = has_ticks_of_server(reader.s, info) ? 0 : 2 * core::Ticks(*info.layout).tick_ns();
        const UnixNanos clock =
            record.backfill ? UnixNanos{reader.s.now().value + kDriftNs} : reader.s.latest_believed();
        const UnixNanos latest{clock.value + ticks_ns};
        const UnixNanos end = first_time_after(record.scheme, used), counted = std::min(end, latest);
        if (is_clocked && counted < end) reader.s.has_cut = true;
        if (!reader.s.shared->ready)
            advance_to(reader.s.number(record.scheme).past_of(has_ticks_of_server(reader.s, info)).named_until_ns,
                       counted.value);
        if (record.overlap) continue;
        co_await note_claim(reader.s, info, used);
        co_await step();
    }
}

inline Task<> read_all_databases(Server &s) {
    if (!s.shared->ready) {
        ++s.starts;
        s.has_cut = false;
        if (s.is_whole) ++s.starts_by_floor;
        if (s.is_whole) co_return;
    }
    for (Database &db : s.databases) {
        Session reader{s, db};
        co_await read_horizons(reader);
        co_await step();
        if (s.fault == Fault::start_reads_no_claims && !s.shared->ready) continue;
        co_await read_claims(reader);
    }
}

inline Task<> take_in_floor(Server &s, Scheme scheme) {
    core::Floor floor = s.floors[at(scheme)];
    if (s.fault == Fault::floor_is_ignored) co_return;
    begin_number_of_floor(s, scheme, floor, s.number(scheme).next);
    co_await skip_past_locked(s, default_horizon(s, scheme), floor.own);
    for (const bool ticks_of_server : {true, false})
        advance_to(s.number(scheme).past_of(ticks_of_server).named_until_ns, floor.of_named(ticks_of_server).value);
}

inline void advance_floor_to_start(Server &s, Scheme scheme) {
    core::Floor &floor = s.floors[at(scheme)];
    begin_number_of_floor(s, scheme, floor, s.number(scheme).bits);
    floor.own = core::merged(floor.own, used_by(s.default_slot(scheme), scheme));
    for (const bool ticks_of_server : {true, false}) {
        UnixNanos &named = floor.of_named(ticks_of_server);
        const std::int64_t past_ns = s.number(scheme).past_of(ticks_of_server).named_until_ns;
        if (s.fault != Fault::floor_is_own) named.value = std::max(named.value, past_ns);
    }
}

inline Task<> server_worker(Server &s) {
    co_await choose_next_numbers(s);
    co_await read_all_databases(s);
    for (const Scheme scheme : kSchemes) co_await take_in_floor(s, scheme);
    co_await start_numbers(s);
    for (const Scheme scheme : kSchemes) {
        advance_floor_to_start(s, scheme);
        co_await step();
    }
    if (!s.has_cut || s.fault == Fault::cut_is_whole) s.is_whole = true;
    s.shared->ready = true;
    for (;;) {
        co_await step();
        if (!wants_other_numbers(s) || s.is_settled) continue;
        s.is_settled = true;
        co_await choose_next_numbers(s);
        co_await read_all_databases(s);
        co_await install_next_numbers(s);
        ++s.reloads;
    }
}

// The last dump may be an older one.
inline void dump_and_drop(Server &s, Database &db) {
    if (s.chance(2)) s.dump = dump_of(s, db);
    db.records.clear();
    db.rows.clear();
    db.exists = false;
}

inline void note_drop(Server &s, Database &db) {
    for (const Scheme scheme : kSchemes) s.law(scheme).drop_database(s.ids(db, scheme));
}

inline Task<> drop_database(Server &s, Database &db) {
    db.is_closing = true;
    while (db.connected > 0) co_await step();
    const SlotKey all{db.oid, 0, 0};
    dump_and_drop(s, db);
    co_await step();
    co_await end_numbers(s, all, true, false);
    note_drop(s, db);
}

// A generator of an extension that was dropped can have the server's number. While it is dropped in the same
// transaction, others make ids below the row of the generator.
inline Task<> begin_above_dropped(Server &s, bool is_dropped) {
    const Scheme flakes = Scheme::snowflake;
    UnixNanos free = first_free_time(s, server_info(s, flakes, s.number(flakes).bits), true);
    if (is_dropped) free = std::max(free, s.floors[at(flakes)].named);
    raise_floor(s, default_generator(flakes), UsedUp::all_before(free));
    co_await skip_past_locked(s, default_horizon(s, flakes), UsedUp::all_before(free));
}

inline void create_extension(Session &b) {
    b.db.table = ++b.s.last_oid;
    for (const Scheme scheme : kSchemes)
        add_horizon_row(b, default_generator(scheme), used_by(b.s.default_slot(scheme), scheme));
}

// CREATE DATABASE ... TEMPLATE. Its named generators are dropped, as the documentation asks for.
inline bool copy_rows(Session &b) {
    if (b.s.chance(2)) return false;
    for (const Database &other : b.s.databases) {
        if (&other == &b.db || !other.exists || other.layout != b.db.layout) continue;
        bool any = false;
        for (const HorizonRow &row : other.rows) {
            if (row.generator > 0 || row.xmin != kCommitted) continue;
            HorizonRow copy = row;
            copy.locked = false;
            copy.xmin = b.xid();
            copy.tid = ++b.s.last_tid;
            b.db.rows.push_back(copy);
            any = true;
        }
        if (!any) continue;
        b.db.table = ++b.s.last_oid;
        ++b.s.templates;
        return true;
    }
    return false;
}

inline Task<> create_database(Server &s, Database &db) {
    db.oid = ++s.last_oid;
    Session session{s, db};
    Transaction transaction;
    begin_transaction(session, transaction);
    co_await begin_above_dropped(s, false);
    if (!copy_rows(session)) create_extension(session);
    co_await step();
    co_await end_transaction(session, true);
}

// Drops the extension and creates it again, while sessions of the database keep running.
inline Task<> replace_extension(Server &s, Database &db) {
    const auto is_locked = [](const HorizonRow &row) { return row.locked; };
    while (db.locked || std::any_of(db.rows.begin(), db.rows.end(), is_locked)) co_await step();
    db.locked = true;
    for (HorizonRow &row : db.rows) row.locked = true;
    co_await begin_above_dropped(s, true);
    const SlotKey all{db.oid, db.table, 0};
    Session session{s, db};
    for (const Scheme scheme : kSchemes) Law::drop_extension(s.ids(db, scheme));
    db.records.clear();
    db.rows.clear();
    create_extension(session);
    co_await step();
    co_await end_numbers(s, all, true, false);
    ++db.invalidations;
    db.locked = false;
}

inline const core::Layout *some_layout(const Server &s) {
    if (!s.has_layouts || s.chance(3)) return s.layout;
    return s.chance(4) ? &s.slow_layout : s.chance(2) ? &s.wide_layout : &s.usual_layout;
}

inline void record_layout(Server &s, Database &db, const core::Layout *layout) {
    db.layout = layout;
    for (Record &record : db.records) record.recorded = layout;
    s.ids(db, Scheme::snowflake).has_layout_of_server = layout == s.layout;
}

// Whether two generators of the database could make the same ids by the layout on record.
inline bool any_meet(const Session &b) {
    bool any = false;
    b.each_record([&](const Record &record) {
        b.each_record([&](const Record &other) {
            any = any || (record.has_name() && other.has_name() && !record.overlap && !other.overlap &&
                          record.id != other.id && record.scheme == other.scheme &&
                          could_meet(info_of(b.s, record), info_of(b.s, other)));
        });
    });
    return any;
}

inline bool are_good(const Session &b) {
    try {
        b.each_record([&](const Record &record) {
            if (record.has_name()) check_record(b.s, record);
        });
    } catch (const Refused &) {
        return false;
    }
    return true;
}

// Between layouts that have the same ticks. The horizons and the record are locked until the end.
inline Task<> change_layout(Server &s, Database &db) {
    const auto is_locked = [](const HorizonRow &row) { return row.locked; };
    if (db.layout == &s.slow_layout) co_return;
    while (db.locked || std::any_of(db.rows.begin(), db.rows.end(), is_locked)) co_await step();
    db.locked = true;
    for (HorizonRow &row : db.rows) row.locked = true;
    Session session{s, db};
    const core::Layout *before = db.layout;
    ++s.layout_changes;
    UnixNanos from{s.default_slot(Scheme::snowflake).highest_horizon_ns};
    session.each_record([&](const Record &record) {
        UsedUp used{};
        if (read_horizon(session, record.id, used)) from = std::max(from, used.horizon);
    });
    record_layout(s, db, before == &s.wide_layout ? &s.usual_layout : &s.wide_layout);
    const bool is_refused = !are_good(session) || (any_meet(session) && s.fault != Fault::change_is_not_judged);
    if (is_refused) record_layout(s, db, before);
    if (!is_refused) {
        co_await lock_slots(s);
        session.each_record([&](const Record &record) {
            if (record.scheme == Scheme::snowflake && record.has_name())
                from = std::max(from, first_free_time(s, info_of(s, record), true));
        });
        unlock_slots(s);
        co_await skip_past_locked(s, default_horizon(s, Scheme::snowflake), UsedUp::all_before(from));
        raise_floor(s, default_generator(Scheme::snowflake), UsedUp::all_before(from));
        raise_floor(s, 1, UsedUp::all_before(from));
        for (HorizonRow &row : db.rows)
            if (row.generator >= 0) row.used = core::merged(row.used, UsedUp::all_before(from));
        co_await end_numbers(s, {db.oid, db.table, 0}, true, false);
        ++db.invalidations;
    }
    for (HorizonRow &row : db.rows) row.locked = false;
    db.locked = false;
}

inline Task<> superuser(Server &s) {
    while (!s.shared->ready) co_await step();
    for (;;) {
        co_await step();
        if (s.mood.is_idle) continue;
        for (Database &db : s.databases) {
            if (db.exists && s.chance(4000)) co_await replace_extension(s, db);
            if (db.exists && !s.mood.is_quiet && s.chance(s.mood.restore_share)) s.dump = dump_of(s, db);
            if (db.exists && s.chance(4000)) co_await drop_database(s, db);
            if (db.exists && s.chance(s.mood.restore_share) && s.dump.layout == db.layout) co_await restore(s, db);
            if (db.exists && s.has_layouts && s.chance(4000)) co_await change_layout(s, db);
            if (db.exists) continue;
            co_await step();
            const bool restores = !s.chance(4) && s.dump.layout != nullptr;
            record_layout(s, db, restores ? s.dump.layout : some_layout(s));
            co_await create_database(s, db);
            if (restores) co_await restore(s, db);
            db.is_closing = false;
            db.exists = true;
        }
    }
}

}  // namespace snowid::test::claims
