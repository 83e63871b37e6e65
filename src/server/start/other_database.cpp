#include "server/start/other_database.hpp"

#include <algorithm>
#include <cstring>

#include "core/layout/layout_text.hpp"
#include "pg/compat.hpp"

extern "C" {
#include "access/heapam.h"
#include "access/htup_details.h"
#include "catalog/pg_am_d.h"
#include "catalog/pg_class.h"
#include "catalog/pg_database.h"
#include "catalog/pg_extension.h"
#include "catalog/pg_type_d.h"
#include "common/relpath.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
}

namespace snowid::server {
namespace {

struct Place {
    Oid database;
    Oid tablespace;  // the database's own
};

// A table as its row of pg_class describes it.
struct Table {
    Oid oid;
    Oid schema;
    int name;             // in kNames
    ItemPointerData row;  // of pg_class
    pg::FileLocator file;
};

constexpr const char *kNames[] = {"snowid_horizon", "snowid_generator", "snowid_layout"};
constexpr int kHorizon = 0, kGenerator = 1, kLayout = 2, kPgExtension = 3;

void lock_table(const Place &place, Oid table, const LockPatience &patience) {
    LOCKTAG tag;
    SET_LOCKTAG_RELATION(tag, place.database, table);
    lock(tag, place.database, patience);
}

// Returns false if the database has been dropped.
bool lock_database(Oid database, const LockPatience &patience, Place &place) {
    LOCKTAG tag;
    SET_LOCKTAG_OBJECT(tag, InvalidOid, DatabaseRelationId, database, 0);
    lock(tag, database, patience);
    AcceptInvalidationMessages();
    HeapTuple tuple = SearchSysCache1(DATABASEOID, ObjectIdGetDatum(database));
    if (!HeapTupleIsValid(tuple)) return false;
    place = {database, reinterpret_cast<Form_pg_database>(GETSTRUCT(tuple))->dattablespace};
    ReleaseSysCache(tuple);
    return true;
}

// Calls `see` with each tuple on the page that is visible to the snapshot, while the page is locked.
template <typename See>
void see_page(Buffer buffer, Snapshot snapshot, See see) {
    Page page = BufferGetPage(buffer);
    if (PageIsNew(page)) return;
    const auto last = static_cast<OffsetNumber>(PageGetMaxOffsetNumber(page));
    for (OffsetNumber n = FirstOffsetNumber; n <= last; ++n) {
        const ItemId item = PageGetItemId(page, n);
        if (!ItemIdIsNormal(item)) continue;
        HeapTupleData tuple{};
        tuple.t_data = reinterpret_cast<HeapTupleHeader>(PageGetItem(page, item));
        tuple.t_len = ItemIdGetLength(item);
        tuple.t_tableOid = RelationRelationId;  // a snapshot asserts that it is set, but does not look at it
        ItemPointerSet(&tuple.t_self, BufferGetBlockNumber(buffer), n);
        if (HeapTupleSatisfiesVisibility(&tuple, snapshot, buffer)) see(tuple);
    }
}

template <typename See>
void see_block(const pg::FileLocator &file, BlockNumber block, Snapshot snapshot, BufferAccessStrategy ring, See see) {
    CHECK_FOR_INTERRUPTS();
    Buffer buffer = ReadBufferWithoutRelcache(file, MAIN_FORKNUM, block, RBM_NORMAL, ring, true);
    LockBuffer(buffer, BUFFER_LOCK_SHARE);
    see_page(buffer, snapshot, see);
    UnlockReleaseBuffer(buffer);
}

template <typename See>
void see_file(const pg::FileLocator &file, See see) {
    Snapshot snapshot = RegisterSnapshot(GetLatestSnapshot());
    BufferAccessStrategy ring = GetAccessStrategy(BAS_BULKREAD);
    const BlockNumber blocks = pg::blocks_of(file);
    for (BlockNumber block = 0; block < blocks; ++block) see_block(file, block, snapshot, ring, see);
    FreeAccessStrategy(ring);
    UnregisterSnapshot(snapshot);
}

// Which of the tables that we look for is described by this row of pg_class, or -1.
int named(const FormData_pg_class &row) {
    if (row.oid == ExtensionRelationId) return kPgExtension;
    if (row.relkind != RELKIND_RELATION || row.relam != HEAP_TABLE_AM_OID ||
        row.relpersistence != RELPERSISTENCE_PERMANENT)
        return -1;
    for (int i = 0; i < static_cast<int>(std::size(kNames)); ++i)
        if (std::strcmp(NameStr(row.relname), kNames[i]) == 0) return i;
    return -1;
}

Table table_of(const Place &place, const HeapTupleData &tuple, const FormData_pg_class &row) {
    const Oid tablespace = OidIsValid(row.reltablespace) ? row.reltablespace : place.tablespace;
    return {row.oid, row.relnamespace, named(row), tuple.t_self, {tablespace, place.database, row.relfilenode}};
}

pg::FileLocator class_file(const Place &place) {
    char *path = GetDatabasePath(place.database, place.tablespace);
    return {place.tablespace, place.database, pg::mapped_file(path, RelationRelationId)};
}

// All tables with the names that we look for. Other schemas may have such tables too.
List *find_candidates(const Place &place) {
    List *found = NIL;
    see_file(class_file(place), [&](const HeapTupleData &tuple) {
        const auto &row = *reinterpret_cast<const FormData_pg_class *>(GETSTRUCT(&tuple));
        if (named(row) < 0) return;
        auto *table = static_cast<Table *>(palloc(sizeof(Table)));
        *table = table_of(place, tuple, row);
        found = lappend(found, table);
    });
    return found;
}

const Table *find_candidate(const List *candidates, int name, Oid schema) {
    const ListCell *cell = nullptr;
    foreach (cell, candidates) {
        const auto *table = static_cast<const Table *>(lfirst(cell));
        if (table->name == name && (name == kPgExtension || table->schema == schema)) return table;
    }
    return nullptr;
}

// Returns InvalidOid if the extension is not there.
Oid schema_of_extension(const Table &pg_extension) {
    Oid schema = InvalidOid;
    see_file(pg_extension.file, [&](const HeapTupleData &tuple) {
        const auto &row = *reinterpret_cast<const FormData_pg_extension *>(GETSTRUCT(&tuple));
        if (std::strcmp(NameStr(row.extname), "snowid") == 0) schema = row.extnamespace;
    });
    return schema;
}

// Whether the table, now that it is locked, is still as it was found.
bool is_unchanged(const Place &place, const Table &table) {
    bool same = false;
    Snapshot snapshot = RegisterSnapshot(GetLatestSnapshot());
    see_block(class_file(place), ItemPointerGetBlockNumber(&table.row), snapshot, nullptr,
              [&](const HeapTupleData &tuple) {
                  const auto &row = *reinterpret_cast<const FormData_pg_class *>(GETSTRUCT(&tuple));
                  const Table now = table_of(place, tuple, row);
                  same = same || (now.oid == table.oid && std::memcmp(&now.file, &table.file, sizeof now.file) == 0);
              });
    UnregisterSnapshot(snapshot);
    return same;
}

struct Tables {
    const Table *tables[std::size(kNames)];

    const Table *operator[](int name) const { return tables[name]; }
};

// Finds and locks the tables. Returns false if one of them has changed meanwhile; then look again. A table that does
// not exist is nullptr.
bool find_tables(const Place &place, const LockPatience &patience, Tables &found) {
    found = {};
    const List *candidates = find_candidates(place);
    const Table *pg_extension = find_candidate(candidates, kPgExtension, InvalidOid);
    if (list_length(candidates) < 2 || pg_extension == nullptr) return true;
    const Oid schema = schema_of_extension(*pg_extension);
    for (int i = 0; i < static_cast<int>(std::size(kNames)); ++i) {
        found.tables[i] = find_candidate(candidates, i, schema);
        if (found[i] == nullptr) continue;
        lock_table(place, found[i]->oid, patience);
        if (!is_unchanged(place, *found[i])) return false;
    }
    return true;
}

// The rows of snowid_horizon, by generator.
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
    bool find(std::int64_t generator, core::UsedUp &used) const {
        const HorizonRow *row = std::lower_bound(rows, rows + count, generator,
                                                 [](const HorizonRow &a, std::int64_t g) { return a.generator < g; });
        if (row == rows + count || row->generator != generator) return false;
        for (used = row->used_up(); ++row != rows + count && row->generator == generator;)
            used = core::merged(used, row->used_up());
        return true;
    }
};

Horizons read_horizons(const Table &table) {
    Horizons horizons{};
    see_file(table.file, [&](const HeapTupleData &tuple) {
        HorizonRow row;
        if (HeapTupleHasNulls(&tuple) || tuple.t_len < tuple.t_data->t_hoff + sizeof row) return;
        std::memcpy(&row, GETSTRUCT(&tuple), sizeof row);
        if (row.is_sound()) horizons.add(row);
    });
    horizons.sort();
    return horizons;
}

TupleDesc columns_of(std::initializer_list<Oid> types) {
    TupleDesc columns = CreateTemplateTupleDesc(static_cast<int>(types.size()));
    AttrNumber n = 0;
    for (const Oid type : types) TupleDescInitBuiltinEntry(columns, ++n, "", type, -1, 0);
    return columns;
}

// Reads a tuple. Returns false if it has fewer columns, or a text that is compressed or stored elsewhere.
template <std::size_t n>
bool deform(const HeapTupleData &tuple, TupleDesc columns, Datum (&values)[n], bool (&nulls)[n]) {
    if (HeapTupleHeaderGetNatts(tuple.t_data) < n) return false;
    heap_deform_tuple(const_cast<HeapTupleData *>(&tuple), columns, values, nulls);
    for (std::size_t i = 0; i < n; ++i)
        if (!nulls[i] && TupleDescAttr(columns, i)->attlen == -1 && VARATT_IS_EXTENDED(DatumGetPointer(values[i])) &&
            !VARATT_IS_SHORT(DatumGetPointer(values[i])))
            return false;
    return true;
}

// The oldest layout counts. Returns false if none can be read.
bool read_layout(const Table &table, core::Layout &layout) {
    TupleDesc columns = columns_of({TEXTOID, INT8OID});
    bool found = false;
    std::int64_t oldest = 0;
    see_file(table.file, [&](const HeapTupleData &tuple) {
        Datum values[2];
        bool nulls[2];
        core::Layout parsed;
        if (!deform(tuple, columns, values, nulls) || nulls[0] || nulls[1]) return;
        if (found && DatumGetInt64(values[1]) >= oldest) return;
        if (core::parse_layout(TextDatumGetCString(values[0]), parsed).fault != core::LayoutFault::none) return;
        layout = parsed;
        oldest = DatumGetInt64(values[1]);
        found = true;
    });
    return found;
}

void read_generators(const Table &table, const core::Layout &layout, const Horizons &horizons,
                     const OtherDatabase &visitor) {
    TupleDesc columns =
        columns_of({INT8OID, TEXTOID, TEXTOID, TEXTOID, INT4OID, INT4OID, INT4OID, INT4OID, BOOLOID, BOOLOID});
    see_file(table.file, [&](const HeapTupleData &tuple) {
        Datum values[kRecordColumns];
        bool nulls[kRecordColumns];
        GeneratorRecord record{};
        core::UsedUp used{};
        if (!deform(tuple, columns, values, nulls) || !try_record_of(values, nulls, record)) return;
        if (horizons.find(record.id, used)) visitor.see_generator(record.info_in(layout), record.overlap, used);
    });
}

}  // namespace

void read_other_database(Oid database, const LockPatience &patience, const OtherDatabase &visitor) {
    Place place{};
    if (!lock_database(database, patience, place)) return;
    lock_table(place, RelationRelationId, patience);
    lock_table(place, ExtensionRelationId, patience);
    Tables tables{};
    while (!find_tables(place, patience, tables)) CHECK_FOR_INTERRUPTS();
    if (tables[kHorizon] == nullptr) return;
    const Horizons horizons = read_horizons(*tables[kHorizon]);
    for (const HorizonRow *row = horizons.rows; row != horizons.rows + horizons.count; ++row) visitor.see_horizon(*row);
    core::Layout layout;
    if (tables[kGenerator] == nullptr || tables[kLayout] == nullptr || !read_layout(*tables[kLayout], layout)) return;
    read_generators(*tables[kGenerator], layout, horizons, visitor);
}

}  // namespace snowid::server
