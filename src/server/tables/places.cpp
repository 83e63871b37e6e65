#include "server/tables/places.hpp"

#include <algorithm>
#include <cstring>

#include "pg/compat.hpp"
#include "server/memory/shared.hpp"

extern "C" {
#include "access/heapam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/dependency.h"
#include "catalog/pg_am_d.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_class.h"
#include "catalog/pg_depend.h"
#include "catalog/pg_extension.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "utils/catcache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
}

namespace snowid::server {
namespace {

constexpr std::string_view kNames[] = {"snowid_layout",  "snowid_horizon",  "snowid_generator",
                                       "snowid_granted", "snowid_seal_key", "snowid_seal_current"};
static_assert(std::size(kNames) == std::size(DatabasePlaces{}.tables));

TablePlace *find_place(DatabasePlaces &places, const char *name) {
    const auto *found = std::find(std::begin(kNames), std::end(kNames), name);
    return found == std::end(kNames) ? nullptr : &places.tables[found - kNames];
}

// Databases whose OIDs leave the same remainder share the room. So a place may be one of another database.
DatabasePlaces &shared_places() { return shared->places[MyDatabaseId % std::size(shared->places)]; }

// Finds the row if the snapshot sees one there. REQUIRES: the page is locked.
bool find_visible(Buffer buffer, const ItemPointerData &at, Snapshot snapshot, HeapTupleData &tuple) {
    Page page = BufferGetPage(buffer);
    const OffsetNumber row = ItemPointerGetOffsetNumberNoCheck(&at);
    if (row < FirstOffsetNumber || row > PageGetMaxOffsetNumber(page)) return false;
    const ItemId item = PageGetItemId(page, row);
    if (!ItemIdIsNormal(item)) return false;
    tuple.t_self = at;
    tuple.t_tableOid = RelationRelationId;  // a snapshot asserts that it is set, but does not look at it
    tuple.t_data = reinterpret_cast<HeapTupleHeader>(PageGetItem(page, item));
    tuple.t_len = ItemIdGetLength(item);
    return HeapTupleSatisfiesVisibility(&tuple, snapshot, buffer);
}

// Calls `see` with a page of the file while it is locked. Returns what that does, or false if there is no such page.
template <typename See>
bool see_page(const pg::FileLocator &file, BlockNumber block, See see) {
    if (block >= smgrnblocks(pg::open_file(file), MAIN_FORKNUM)) return false;
    Buffer buffer = ReadBufferWithoutRelcache(file, MAIN_FORKNUM, block, RBM_NORMAL, nullptr, true);
    LockBuffer(buffer, BUFFER_LOCK_SHARE);
    const bool seen = see(buffer);
    UnlockReleaseBuffer(buffer);
    return seen;
}

// What pg_class says of a table.
struct Table {
    pg::FileLocator file;
    int columns;
    bool lasts;  // it is a heap that survives a crash
};

// The catalogues, read at places. REQUIRES: they are locked.
class Catalogues {
public:
    Catalogues(const DatabasePlaces &places, const pg::FileLocator &pg_class, Snapshot snapshot)
        : places_(places), pg_class_{pg_class, 0, true}, snapshot_(snapshot) {}

    bool find_extension() {
        Table pg_extension;
        if (!find_catalogue(places_.pg_extension, ExtensionRelationId, pg_extension) ||
            !find_catalogue(places_.pg_depend, DependRelationId, pg_depend_))
            return false;
        return see<FormData_pg_extension>(pg_extension, places_.extension, [this](const FormData_pg_extension &row) {
            extension_ = row.oid;
            schema_ = row.extnamespace;
            return std::strcmp(NameStr(row.extname), "snowid") == 0;
        });
    }
    bool find_table(const TablePlace &place, const char *name, Table &table) const {
        const auto is_it = [&](const FormData_pg_class &row) {
            table = table_of(row);
            return row.oid == place.table && row.relnamespace == schema_ &&
                   std::strcmp(NameStr(row.relname), name) == 0;
        };
        return OidIsValid(place.table) && see<FormData_pg_class>(pg_class_, place.row, is_it) && is_member(place);
    }

private:
    // Calls `see` with the row if the snapshot sees one there. Returns whether that is the one.
    template <typename Row, typename See>
    bool see(const Table &table, const ItemPointerData &at, See see) const {
        return see_page(table.file, ItemPointerGetBlockNumberNoCheck(&at), [&](Buffer buffer) {
            HeapTupleData tuple;
            return find_visible(buffer, at, snapshot_, tuple) && see(*reinterpret_cast<const Row *>(GETSTRUCT(&tuple)));
        });
    }
    bool find_catalogue(const ItemPointerData &at, Oid catalogue, Table &table) const {
        return see<FormData_pg_class>(pg_class_, at, [&](const FormData_pg_class &row) {
            table = table_of(row);
            return row.oid == catalogue && row.relfilenode != 0;
        });
    }
    bool is_member(const TablePlace &place) const {
        return see<FormData_pg_depend>(pg_depend_, place.membership, [&](const FormData_pg_depend &row) {
            return row.classid == RelationRelationId && row.objid == place.table &&
                   row.refclassid == ExtensionRelationId && row.refobjid == extension_ &&
                   row.deptype == DEPENDENCY_EXTENSION;
        });
    }
    static Table table_of(const FormData_pg_class &row) {
        const Oid space = OidIsValid(row.reltablespace) ? row.reltablespace : MyDatabaseTableSpace;
        return {{space, MyDatabaseId, row.relfilenode},
                row.relnatts,
                row.relkind == RELKIND_RELATION && row.relam == HEAP_TABLE_AM_OID &&
                    row.relpersistence == RELPERSISTENCE_PERMANENT};
    }

    const DatabasePlaces &places_;
    Table pg_class_, pg_depend_{};
    Snapshot snapshot_;
    Oid extension_ = InvalidOid, schema_ = InvalidOid;
};

// Calls `read` if the extension is at its place. The snapshot is a new one, for it is no catalogue's.
template <typename Read>
bool with_catalogues(DatabasePlaces &places, Read read) {
    if (shared == nullptr) return false;
    lock_slots(false);
    places = shared_places();
    unlock_slots();
    Relation pg_class = table_open(RelationRelationId, AccessShareLock);  // which the relation cache always has
    LockRelationOid(ExtensionRelationId, AccessShareLock);
    LockRelationOid(DependRelationId, AccessShareLock);
    Snapshot snapshot = RegisterSnapshot(GetCatalogSnapshot(InvalidOid));
    Catalogues catalogues(places, pg::file_of(pg_class), snapshot);
    const bool done = catalogues.find_extension() && read(catalogues, snapshot);
    UnregisterSnapshot(snapshot);
    UnlockRelationOid(DependRelationId, AccessShareLock);
    UnlockRelationOid(ExtensionRelationId, AccessShareLock);
    table_close(pg_class, AccessShareLock);
    return done;
}

ItemPointerData place_in_pg_class(Oid table) {
    ItemPointerData at{};
    HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(table));
    if (!HeapTupleIsValid(tuple)) return at;
    at = tuple->t_self;
    ReleaseSysCache(tuple);
    return at;
}

// Reads the rows of all columns at once, because each search of its own costs a new session several times as much.
bool has_columns(Oid table, std::span<const Oid> types) {
    std::size_t found = 0;
    CatCList *columns = SearchSysCacheList1(ATTNUM, ObjectIdGetDatum(table));
    for (int i = 0; i < columns->n_members; ++i) {
        const auto &column = *reinterpret_cast<Form_pg_attribute>(GETSTRUCT(&columns->members[i]->tuple));
        if (column.attnum >= 1 && column.attnum <= static_cast<int>(types.size()) &&
            column.atttypid == types[static_cast<std::size_t>(column.attnum) - 1])
            ++found;
    }
    ReleaseSysCacheList(columns);
    return found == types.size();
}

constexpr BlockNumber kFewPages = 8;  // of some 80 rows

bool see_rows(const pg::FileLocator &file, Snapshot snapshot, SeeRow see) {
    const BlockNumber pages = smgrnblocks(pg::open_file(file), MAIN_FORKNUM);
    if (pages > kFewPages) return false;
    for (BlockNumber page = 0; page < pages; ++page)
        see_page(file, page, [&](Buffer buffer) {
            ItemPointerData at;
            HeapTupleData tuple;
            ItemPointerSet(&at, page, FirstOffsetNumber);
            for (; at.ip_posid <= PageGetMaxOffsetNumber(BufferGetPage(buffer)); ++at.ip_posid)
                if (find_visible(buffer, at, snapshot, tuple)) see(tuple);
            return true;
        });
    return true;
}

}  // namespace

void find_at_places(std::span<const char *const> names, std::span<Oid> tables) {
    DatabasePlaces places;
    std::fill(tables.begin(), tables.end(), InvalidOid);
    with_catalogues(places, [&](const Catalogues &catalogues, Snapshot) {
        Table table;
        for (std::size_t i = 0; i < names.size(); ++i)
            if (const TablePlace *place = find_place(places, names[i]); place != nullptr)
                if (catalogues.find_table(*place, names[i], table)) tables[i] = place->table;
        return true;
    });
}

void keep_place(const char *name, const ItemPointerData &extension, Oid table, const ItemPointerData &membership) {
    DatabasePlaces found{};
    if (shared == nullptr || find_place(found, name) == nullptr) return;
    const TablePlace place{table, place_in_pg_class(table), membership};
    found.pg_extension = place_in_pg_class(ExtensionRelationId);
    found.pg_depend = place_in_pg_class(DependRelationId);
    lock_slots(true);
    DatabasePlaces &places = shared_places();
    places.pg_extension = found.pg_extension;
    places.pg_depend = found.pg_depend;
    places.extension = extension;
    *find_place(places, name) = place;
    unlock_slots();
}

bool see_rows_at_place(const char *name, Oid table, std::span<const Oid> types, SeeRow see) {
    if (!OidIsValid(table)) return false;
    DatabasePlaces places;
    LockRelationOid(table, AccessShareLock);
    const bool done = with_catalogues(places, [&](const Catalogues &catalogues, Snapshot snapshot) {
        Table found;
        const TablePlace *place = find_place(places, name);
        return place->table == table && catalogues.find_table(*place, name, found) && found.lasts &&
               found.columns == static_cast<int>(types.size()) && has_columns(table, types) &&
               see_rows(found.file, snapshot, see);
    });
    UnlockRelationOid(table, AccessShareLock);
    return done;
}

}  // namespace snowid::server
