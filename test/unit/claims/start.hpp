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
        const UnixNanos end = std::min(first_time_after(record.scheme, used), {reader.s.now().value + kDriftNs});
        advance_to(reader.s.number(record.scheme).named_until_ns, end.value);
        if (record.overlap) continue;
        co_await note_claim(reader.s, info_of(reader.s, record), used);
        co_await step();
    }
}

inline Task<> read_all_databases(Server &s) {
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
    if (s.fault != Fault::floor_has_no_number) floor.begin_number(s.number(scheme).next);
    co_await skip_past_locked(s, default_horizon(s, scheme), floor.own);
    advance_to(s.number(scheme).named_until_ns, floor.named.value);
}

inline void advance_floor_to_start(Server &s, Scheme scheme) {
    core::Floor &floor = s.floors[at(scheme)];
    begin_number_of_floor(s, scheme, floor);
    floor.own = core::merged(floor.own, used_by(s.default_slot(scheme), scheme));
    if (s.fault != Fault::floor_is_own)
        floor.named.value = std::max(floor.named.value, s.number(scheme).named_until_ns);
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

inline void create_extension(Session &b) {
    b.db.table = ++b.s.last_oid;
    for (const Scheme scheme : kSchemes)
        add_horizon_row(b, default_generator(scheme), used_by(b.s.default_slot(scheme), scheme));
}

inline Task<> create_database(Server &s, Database &db) {
    db.oid = ++s.last_oid;
    Session session{s, db};
    Transaction transaction;
    begin_transaction(session, transaction);
    create_extension(session);
    co_await step();
    co_await end_transaction(session, true);
}

// Drops the extension and creates it again, while sessions of the database keep running.
inline Task<> replace_extension(Server &s, Database &db) {
    const auto is_locked = [](const HorizonRow &row) { return row.locked; };
    while (db.locked || std::any_of(db.rows.begin(), db.rows.end(), is_locked)) co_await step();
    db.locked = true;
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

inline Task<> superuser(Server &s) {
    while (!s.shared->ready) co_await step();
    for (;;) {
        co_await step();
        for (Database &db : s.databases) {
            if (db.exists && s.chance(4000)) co_await replace_extension(s, db);
            if (db.exists && s.chance(4000)) s.dump = dump_of(s, db);
            if (db.exists && s.chance(4000)) co_await drop_database(s, db);
            if (db.exists && s.chance(4000)) co_await restore(s, db);
            if (db.exists) continue;
            co_await step();
            co_await create_database(s, db);
            if (!s.chance(4)) co_await restore(s, db);
            db.is_closing = false;
            db.exists = true;
        }
    }
}

}  // namespace snowid::test::claims
