#include "server/start/found_tables.hpp"

#include "server/tables/tables.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "server/record/generator_record.hpp"

extern "C" {
#include "access/htup_details.h"
#include "catalog/pg_am_d.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_class.h"
#include "catalog/pg_database.h"
#include "catalog/pg_extension.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_type_d.h"
#include "common/relpath.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "utils/inval.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
}

namespace snowid::server {
namespace {

struct Place {
    Oid database;
    Oid tablespace;  // the database's own
    const char *name;
};

// A table that a start reads, with the types of the columns that it reads. The columns of version 1.0.0 come first.
struct Shape {
    const char *name;
    std::array<Oid, kRecordColumns> types;
    int columns;  // today

    int read() const { return static_cast<int>(std::find(types.begin(), types.end(), InvalidOid) - types.begin()); }
};

constexpr Shape kShapes[] = {
    {"horizon", {INT8OID, INT8OID, INT8OID, INT8OID, INT8OID, INT8OID, INT8OID, INT8OID}, 8},
    {"generator",
     {INT8OID, TEXTOID, TEXTOID, TEXTOID, INT4OID, INT4OID, INT4OID, INT4OID, BOOLOID, BOOLOID},
     kTableColumns},
    {"layout", {TEXTOID, TIMESTAMPTZOID}, 2},
};
constexpr int kPgExtension = static_cast<int>(std::size(kShapes)), kPgNamespace = kPgExtension + 1;

// A table as its row of pg_class describes it.
struct Table {
    Oid oid;
    Oid schema;
    int kind;             // in kShapes, or one of the catalogues
    bool lasts;           // it is a heap that survives a crash
    int columns;          // including those that were dropped
    ItemPointerData row;  // of pg_class
    pg::FileLocator file;
};

LOCKTAG tag_of(const Place &place, Oid table) {
    LOCKTAG tag;
    SET_LOCKTAG_RELATION(tag, place.database, table);
    return tag;
}

void lock_table(const Place &place, Oid table, const LockPatience &patience) {
    lock(tag_of(place, table), place.database, patience);
}

// Returns false if the database has been dropped.
bool lock_database(Oid database, const LockPatience &patience, Place &place) {
    LOCKTAG tag;
    SET_LOCKTAG_OBJECT(tag, InvalidOid, DatabaseRelationId, database, 0);
    lock(tag, database, patience);
    AcceptInvalidationMessages();
    HeapTuple tuple = SearchSysCache1(DATABASEOID, ObjectIdGetDatum(database));
    if (!HeapTupleIsValid(tuple)) return false;
    const auto &row = *reinterpret_cast<Form_pg_database>(GETSTRUCT(tuple));
    place = {database, row.dattablespace, pstrdup(NameStr(row.datname))};
    ReleaseSysCache(tuple);
    return true;
}

template <typename Row>
const Row &row_in(const HeapTupleData &tuple) {
    return *reinterpret_cast<const Row *>(GETSTRUCT(&tuple));
}

// Which of the tables that we look for the row of pg_class describes, or -1.
int kind_of(const FormData_pg_class &row) {
    if (row.oid == ExtensionRelationId) return kPgExtension;
    if (row.oid == NamespaceRelationId) return kPgNamespace;
    for (int i = 0; i < static_cast<int>(std::size(kShapes)); ++i)
        if (std::strcmp(NameStr(row.relname), kShapes[i].name) == 0) return i;
    return -1;
}

Table table_of(const Place &place, const HeapTupleData &tuple) {
    const auto &row = row_in<FormData_pg_class>(tuple);
    const Oid tablespace = OidIsValid(row.reltablespace) ? row.reltablespace : place.tablespace;
    const bool lasts = row.relkind == RELKIND_RELATION && row.relam == HEAP_TABLE_AM_OID &&
                       row.relpersistence == RELPERSISTENCE_PERMANENT;
    return {row.oid,
            row.relnamespace,
            kind_of(row),
            lasts,
            row.relnatts,
            tuple.t_self,
            {tablespace, place.database, row.relfilenode}};
}

// A catalogue of which pg_class does not tell the file.
StoredTable mapped(const Place &place, const char *name, Oid oid) {
    char *path = GetDatabasePath(place.database, place.tablespace);
    return {place.name, name, {place.tablespace, place.database, pg::mapped_file(path, oid)}};
}

StoredTable pg_class(const Place &place) { return mapped(place, "pg_class", RelationRelationId); }

StoredTable stored(const Place &place, const Table &table) {
    constexpr const char *kCatalogues[] = {"pg_extension", "pg_namespace"};
    const char *name = table.kind >= kPgExtension ? kCatalogues[table.kind - kPgExtension] : kShapes[table.kind].name;
    return {place.name, name, table.file};
}

// All tables with the names that we look for. Other schemas may have such tables too.
List *find_candidates(const Place &place, Snapshot snapshot) {
    List *found = NIL;
    see_rows(pg_class(place), snapshot, [&](const HeapTupleData &tuple, const RowSpot &) {
        if (kind_of(row_in<FormData_pg_class>(tuple)) < 0) return;
        auto *table = static_cast<Table *>(palloc(sizeof(Table)));
        *table = table_of(place, tuple);
        found = lappend(found, table);
    });
    return found;
}

const Table *find_candidate(const List *candidates, int kind, Oid schema) {
    const ListCell *cell = nullptr;
    foreach (cell, candidates) {
        const auto *table = static_cast<const Table *>(lfirst(cell));
        if (table->kind == kind && (kind >= kPgExtension || table->schema == schema)) return table;
    }
    return nullptr;
}

// The schema of its tables, or InvalidOid if the extension is not there.
Oid schema_of_extension(const Place &place, const List *candidates, Snapshot snapshot) {
    Oid schema = InvalidOid;
    bool is_there = false;
    const Table *pg_extension = find_candidate(candidates, kPgExtension, InvalidOid);
    const Table *pg_namespace = find_candidate(candidates, kPgNamespace, InvalidOid);
    if (pg_extension == nullptr || pg_namespace == nullptr) return schema;
    see_rows(stored(place, *pg_extension), snapshot, [&](const HeapTupleData &tuple, const RowSpot &) {
        if (std::strcmp(NameStr(row_in<FormData_pg_extension>(tuple).extname), "snowid") == 0) is_there = true;
    });
    see_rows(stored(place, *pg_namespace), snapshot, [&](const HeapTupleData &tuple, const RowSpot &) {
        const auto &row = row_in<FormData_pg_namespace>(tuple);
        if (is_there && std::strcmp(NameStr(row.nspname), kInternalSchema) == 0) schema = row.oid;
    });
    return schema;
}

// Whether the table, now that it is locked, is still as it was found.
bool is_unchanged(const Place &place, const Table &table) {
    bool same = false;
    see_rows_of_block(pg_class(place), ItemPointerGetBlockNumber(&table.row),
                      [&](const HeapTupleData &tuple, const RowSpot &) {
                          const Table now = table_of(place, tuple);
                          same = same || (now.oid == table.oid && now.columns == table.columns &&
                                          std::memcmp(&now.file, &table.file, sizeof now.file) == 0);
                      });
    return same;
}

// Whether the columns that we read are where the extension made them. Only if the table has ever had others, the
// catalogue has to say: a column that is added comes last, and one that was dropped has no type any more.
bool has_own_columns(const Place &place, const Table &table, const LockPatience &patience) {
    const Shape &shape = kShapes[table.kind];
    if (table.columns == shape.columns || table.columns == shape.read()) return true;
    int found = 0;
    lock_table(place, AttributeRelationId, patience);
    see_rows(mapped(place, "pg_attribute", AttributeRelationId), [&](const HeapTupleData &tuple, const RowSpot &) {
        const auto &row = row_in<FormData_pg_attribute>(tuple);
        if (row.attrelid != table.oid || row.attnum < 1 || row.attnum > shape.read()) return;
        if (row.atttypid == shape.types[static_cast<std::size_t>(row.attnum - 1)]) ++found;
    });
    return found == shape.read();
}

constexpr const char *kRestore = "Restore that database from a backup, or drop it.";

void require_usable(const Place &place, const Table &table, const LockPatience &patience) {
    const StoredTable shown = stored(place, table);
    if (!table.lasts)
        raise_unusable(shown, "It is not a heap that survives a crash.",
                       psprintf("As a superuser, run in that database: ALTER TABLE %s SET LOGGED;", shown.name));
    if (!has_own_columns(place, table, patience))
        raise_unusable(shown, "It has lost a column that the extension made.", kRestore);
}

enum class Search : std::uint8_t { found, not_there, changed };

// Finds and locks the tables. If one of them has changed meanwhile, the caller looks again.
Search find_in(const Place &place, const LockPatience &patience, StoredTable *(&found)[std::size(kShapes)]) {
    Snapshot snapshot = RegisterSnapshot(GetLatestSnapshot());
    const List *candidates = find_candidates(place, snapshot);
    const Oid schema = schema_of_extension(place, candidates, snapshot);
    UnregisterSnapshot(snapshot);
    if (!OidIsValid(schema)) return Search::not_there;
    for (int i = 0; i < static_cast<int>(std::size(kShapes)); ++i) {
        const Table *table = find_candidate(candidates, i, schema);
        if (table == nullptr) raise_unusable({place.name, kShapes[i].name, {}}, "It is not there.", kRestore);
        const TransactionId keeper = lock_or_find_keeper(tag_of(place, table->oid), place.database, patience);
        if (!is_unchanged(place, *table)) return Search::changed;
        require_usable(place, *table, patience);
        *found[i] = stored(place, *table);
        found[i]->keeper = keeper;
    }
    return Search::found;
}

}  // namespace

bool find_tables(Oid database, const LockPatience &patience, FoundTables &found) {
    Place place{};
    if (!lock_database(database, patience, place)) return false;
    lock_table(place, RelationRelationId, patience);
    lock_table(place, ExtensionRelationId, patience);
    lock_table(place, NamespaceRelationId, patience);
    StoredTable *tables[] = {&found.horizon, &found.generator, &found.layout};  // as in kShapes
    for (;;) {
        const Search search = find_in(place, patience, tables);
        if (search != Search::changed) return search == Search::found;
        CHECK_FOR_INTERRUPTS();
    }
}

}  // namespace snowid::server
