#include "server/start/other_database.hpp"

#include <algorithm>

#include "core/layout/layout_text.hpp"
#include "server/start/found_tables.hpp"
#include "server/tables/room.hpp"
#include "server/tables/stored_row.hpp"

namespace snowid::server {
namespace {

constexpr const char *kNull = "A column is NULL that must not be.";

// The rows of _snowid.horizon, by generator.
struct Horizons {
    HorizonRow *rows;
    std::size_t count, room;

    void add(const HorizonRow &row) {
        if (count == room) {
            room = room == 0 ? 16 : 2 * room;
            const Size size = room * sizeof(HorizonRow);
            rows = static_cast<HorizonRow *>(rows == nullptr ? palloc(size) : repalloc_huge(rows, size));
        }
        rows[count++] = row;
    }
    void sort() {
        std::sort(rows, rows + count,
                  [](const HorizonRow &a, const HorizonRow &b) { return a.generator < b.generator; });
    }
    // Of how many named generators. REQUIRES: the rows are sorted.
    std::size_t named() const {
        std::size_t generators = 0;
        for (const HorizonRow *row = rows; row != rows + count; ++row)
            if (row->generator > 0 && (row == rows || row[-1].generator != row->generator)) ++generators;
        return generators;
    }
    bool find(std::int64_t generator, HorizonRow &all) const {
        const HorizonRow *row = std::lower_bound(rows, rows + count, generator,
                                                 [](const HorizonRow &a, std::int64_t g) { return a.generator < g; });
        if (row == rows + count || row->generator != generator) return false;
        for (all = *row; ++row != rows + count && row->generator == generator;) all.merge(*row);
        return true;
    }
};

HorizonRow horizon_in(const HeapTupleData &tuple, const RowSpot &spot) {
    StoredRow stored(tuple);
    HorizonRow row;
    for (std::int64_t HorizonRow::*column :
         {&HorizonRow::generator, &HorizonRow::horizon_ns, &HorizonRow::clock_offset_ns, &HorizonRow::boot,
          &HorizonRow::server, &HorizonRow::timeline, &HorizonRow::safe, &HorizonRow::toggles}) {
        const std::optional<std::int64_t> value = stored.bigint();
        if (!value) raise_unreadable(spot, stored.fault() != nullptr ? stored.fault() : kNull);
        row.*column = *value;
    }
    row.make_sound();
    return row;
}

Horizons read_horizons(const StoredTable &table) {
    Horizons horizons{};
    see_rows(table, [&](const HeapTupleData &tuple, const RowSpot &spot) { horizons.add(horizon_in(tuple, spot)); });
    horizons.sort();
    return horizons;
}

// The oldest layout counts.
core::Layout read_layout(const StoredTable &table) {
    core::Layout layout;
    std::optional<std::int64_t> oldest;
    see_rows(table, [&](const HeapTupleData &tuple, const RowSpot &spot) {
        StoredRow row(tuple);
        core::Layout parsed;
        const auto text = row.text(core::kMaxLayoutText);
        const auto recorded = row.bigint();
        if (row.fault() != nullptr) raise_unreadable(spot, row.fault());
        if (!text || !recorded) raise_unreadable(spot, kNull);
        if (core::parse_layout(*text, parsed).fault != core::LayoutFault::none)
            raise_unreadable(spot, "It is not a layout.");
        if (oldest && *recorded >= *oldest) return;
        layout = parsed;
        oldest = recorded;
    });
    if (!oldest)
        raise_unusable(table, "It is empty.",
                       "As a superuser, insert the layout of that database's ids, as snowid_check() says there.");
    return layout;
}

// Whatever is wrong with its scheme or its layout, a generator claims its number. A backend, too, takes an unknown
// scheme for the first one. It makes no ids with a layout that is not one.
GeneratorRecord generator_in(const HeapTupleData &tuple, const RowSpot &spot) {
    StoredRow row(tuple);
    GeneratorRecord record;
    const Stored stored = read_stored(row, record);
    if (row.fault() != nullptr) raise_unreadable(spot, row.fault());
    if (stored == Stored::lacking) raise_unreadable(spot, kNull);
    return record;
}

// Generators whose horizon is lost.
struct Lost {
    int count = 0;
    std::int64_t first = 0;
    std::size_t named = 0;

    void add(std::int64_t generator) {
        if (count++ == 0) first = generator;
        if (generator > 0) ++named;
    }
};

// If its horizon is lost, a generator counts as used up as far as the clock lets ids go now.
HorizonRow horizon_of(std::int64_t generator, const Horizons &horizons, Lost &lost) {
    HorizonRow row{.generator = generator, .timeline = core::History::unknown().word};
    if (horizons.find(generator, row)) return row;
    lost.add(generator);
    row.set(core::UsedUp::all_before(latest_time()));
    return row;
}

// Returns the number of rows.
std::size_t read_generators(const StoredTable &table, const core::Layout &layout, const Horizons &horizons, Lost &lost,
                            const DatabaseVisitor &visitor) {
    std::size_t count = 0;
    see_rows(table, [&](const HeapTupleData &tuple, const RowSpot &spot) {
        const GeneratorRecord record = generator_in(tuple, spot);
        visitor.see_generator(record.info_in(layout), record.overlap, horizon_of(record.id, horizons, lost));
        ++count;
    });
    return count;
}

void warn_of_lost(const StoredTable &horizon, const Lost &lost) {
    if (lost.count == 0) return;
    ereport(WARNING,
            (errmsg("snowid: the database \"%s\" has lost the record of how far its ids have come", horizon.database),
             errdetail(
                 "The table _snowid.horizon has no row for %d of its generators. The first has the number " INT64_FORMAT
                 ".",
                 lost.count, lost.first),
             errhint("As a superuser, run in that database: SELECT snowid_horizon_advance(now());")));
}

// PostgreSQL takes a page of zeros for an empty one, and a damaged header can hide a row.
void warn_of_lost_records(const StoredTable &generator, std::size_t horizons, std::size_t records) {
    if (horizons <= records) return;
    ereport(WARNING,
            (errmsg("snowid: the database \"%s\" has lost the records of generators", generator.database),
             errdetail("The table _snowid.generator has no row for %zu of the generators of _snowid.horizon.",
                       horizons - records),
             errhint("Restore that database from a backup. Until then, this server does not know their numbers.")));
}

void warn_of_size(const StoredTable &table, std::size_t rows, std::size_t most_rows, BlockNumber most_pages) {
    const BlockNumber pages = pg::blocks_of(table.file);
    if (rows <= most_rows && pages <= most_pages) return;
    ereport(
        WARNING,
        (errmsg("snowid: the table %s in the database \"%s\" is too large", table.name, table.database),
         errdetail("It has %zu rows on %u pages. After each start, the first id of every database waits until all of "
                   "them are read.",
                   rows, pages),
         errhint("In that database, run: ALTER EXTENSION snowid UPDATE; and: VACUUM FULL %s;", table.name)));
}

}  // namespace

void read_other_database(Oid database, const LockPatience &patience, const DatabaseVisitor &visitor) {
    FoundTables tables{};
    if (!find_tables(database, patience, tables)) return;
    const Horizons horizons = read_horizons(tables.horizon);
    for (const HorizonRow *row = horizons.rows; row != horizons.rows + horizons.count; ++row) visitor.see_horizon(*row);
    Lost lost;
    for (const Scheme scheme : kSchemes) horizon_of(scheme_row(scheme).default_generator, horizons, lost);
    const std::size_t generators =
        read_generators(tables.generator, read_layout(tables.layout), horizons, lost, visitor);
    warn_of_lost(tables.horizon, lost);
    warn_of_lost_records(tables.generator, horizons.named(), generators - lost.named);
    warn_of_size(tables.horizon, horizons.count, SIZE_MAX, kMostHorizonPages);
    warn_of_size(tables.generator, generators, kMostGenerators, kMostGeneratorPages);
}

}  // namespace snowid::server
