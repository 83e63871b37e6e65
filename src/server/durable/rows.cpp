#include "server/durable/rows.hpp"

#include "server/shared/settings.hpp"

extern "C" {
#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/indexing.h"
#include "catalog/pg_collation_d.h"
#include "catalog/pg_index.h"
#include "catalog/pg_opfamily_d.h"
#include "nodes/pg_list.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
}

namespace snowid::server {
namespace {

bool begins_with(const FormData_pg_index &index, const ScanKeyData *keys, int key_count) {
    if (!index.indisvalid || index.indnkeyatts < key_count) return false;
    for (int i = 0; i < key_count; ++i)
        if (index.indkey.values[i] != keys[i].sk_attno) return false;
    return true;
}

// Whether the index has the order that CREATE INDEX gives our columns by default.
bool has_default_order(Oid oid, int key_count) {
    Relation index = index_open(oid, AccessShareLock);
    bool has = true;
    for (int i = 0; i < key_count; ++i) {
        const Oid family = index->rd_opfamily[i], collation = index->rd_indcollation[i];
        has = has && (family == INTEGER_BTREE_FAM_OID || family == TEXT_BTREE_FAM_OID) &&
              (!OidIsValid(collation) || collation == DEFAULT_COLLATION_OID) && index->rd_indoption[i] == 0;
    }
    index_close(index, AccessShareLock);
    return has;
}

// Whether the index is neither partial nor on an expression.
bool is_plain_index(HeapTuple index) {
    return heap_attisnull(index, Anum_pg_index_indpred, nullptr) &&
           heap_attisnull(index, Anum_pg_index_indexprs, nullptr);
}

// Calls `see` with each row of pg_index for the table, and with the tuple that it is.
template <typename See>
void each_index(Relation table, const See &see) {
    List *indexes = RelationGetIndexList(table);
    const ListCell *cell = nullptr;
    foreach (cell, indexes) {
        HeapTuple tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(lfirst_oid(cell)));
        if (!HeapTupleIsValid(tuple)) continue;
        see(*reinterpret_cast<const FormData_pg_index *>(GETSTRUCT(tuple)), tuple);
        ReleaseSysCache(tuple);
    }
    list_free(indexes);
}

// Returns InvalidOid if there is none. All rows are in the table; an index that others have added may not be able to
// give them.
Oid index_for(Relation table, const ScanKeyData *keys, int key_count) {
    Oid found = InvalidOid;
    if (key_count == 0) return found;
    each_index(table, [&](const FormData_pg_index &index, HeapTuple tuple) {
        if (begins_with(index, keys, key_count) && is_plain_index(tuple) &&
            has_default_order(index.indexrelid, key_count))
            found = index.indexrelid;
    });
    return found;
}

void scan(Relation table, Oid index, Snapshot snapshot, ScanKeyData *keys, int key_count, SeeTuple see) {
    const bool by_index = OidIsValid(index);  // a scan of the table cannot search for NULL, so it uses no keys
    SysScanDesc scan = systable_beginscan(table, index, by_index, snapshot, by_index ? key_count : 0, keys);
    while (HeapTuple tuple = systable_getnext(scan)) see(tuple);
    systable_endscan(scan);
}

}  // namespace

void each_row(Relation table, SeeTuple see) { scan(table, InvalidOid, nullptr, nullptr, 0, see); }

void look_up(Relation table, Snapshot snapshot, ScanKeyData *keys, int key_count, SeeTuple see) {
    scan(table, index_for(table, keys, key_count), snapshot, keys, key_count, see);
}

ScanKeyData key_for(AttrNumber column, RegProcedure equal, bool is_null, Datum value) {
    ScanKeyData key;
    const Oid collation = equal == F_TEXTEQ ? DEFAULT_COLLATION_OID : InvalidOid;
    if (is_null)
        ScanKeyEntryInitialize(&key, SK_ISNULL | SK_SEARCHNULL, column, InvalidStrategy, InvalidOid, InvalidOid,
                               InvalidOid, Datum{0});
    else
        ScanKeyEntryInitialize(&key, 0, column, BTEqualStrategyNumber, InvalidOid, collation, equal, value);
    return key;
}

// To read one page costs a session less than to open an index.
void look_up(Relation table, AttrNumber column, std::int64_t value, Snapshot snapshot, SeeTuple see) {
    ScanKeyData key = key_for(column, F_INT8EQ, false, Int64GetDatum(value));
    const bool has_one_page = RelationGetNumberOfBlocks(table) <= 1;
    scan(table, has_one_page ? InvalidOid : index_for(table, &key, 1), snapshot, &key, 1, see);
}

bool has_any(Relation table, AttrNumber column, StrategyNumber strategy, RegProcedure compare, Datum value) {
    ScanKeyData key;
    ScanKeyEntryInitialize(&key, 0, column, strategy, InvalidOid, DEFAULT_COLLATION_OID, compare, value);
    const Oid index = index_for(table, &key, 1);
    SysScanDesc scan = systable_beginscan(table, index, OidIsValid(index), nullptr, 1, &key);
    const bool any = HeapTupleIsValid(systable_getnext(scan));
    systable_endscan(scan);
    return any;
}

void look_up_greatest(Relation table, AttrNumber column, SeeTuple see) {
    ScanKeyData key{};
    key.sk_attno = column;
    const Oid oid = index_for(table, &key, 1);
    if (!OidIsValid(oid)) return each_row(table, see);
    Relation index = index_open(oid, AccessShareLock);
    SysScanDesc scan = systable_beginscan_ordered(table, index, nullptr, 0, nullptr);
    if (HeapTuple tuple = systable_getnext_ordered(scan, BackwardScanDirection)) see(tuple);
    systable_endscan_ordered(scan);
    index_close(index, AccessShareLock);
}

HeapTuple row_of_columns(Relation table, std::span<const Datum> values, std::span<const bool> nulls) {
    const auto all = static_cast<std::size_t>(RelationGetDescr(table)->natts);
    auto *all_values = static_cast<Datum *>(palloc0(sizeof(Datum) * all));
    auto *all_nulls = static_cast<bool *>(palloc(all));
    const std::size_t count = std::min(all, values.size());
    std::fill_n(all_nulls, all, true);
    std::copy_n(values.begin(), count, all_values);
    std::copy_n(nulls.begin(), count, all_nulls);
    return heap_form_tuple(RelationGetDescr(table), all_values, all_nulls);
}

void require_plain_indexes(Relation table) {
    each_index(table, [&](const FormData_pg_index &index, HeapTuple tuple) {
        if (is_plain_index(tuple)) return;
        const char *schema = get_namespace_name(RelationGetNamespace(table)), *name = get_rel_name(index.indexrelid);
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("the table _snowid.%s has an index that is partial or on an expression",
                               RelationGetRelationName(table)),
                        errdetail("Only indexes on columns of all rows can be kept up to date."),
                        errhint("A superuser can run: DROP INDEX %s;", quote_qualified_identifier(schema, name))));
    });
}

void insert_row(Relation table, HeapTuple row) {
    require_plain_indexes(table);
    CatalogTupleInsert(table, row);
}

void update_row(Relation table, ItemPointer at, HeapTuple row) {
    require_plain_indexes(table);
    CatalogTupleUpdate(table, at, row);
}

void close_changed(Relation table) {
    table_close(table, NoLock);
    CommandCounterIncrement();
    note_change();
}

void require_pages(Relation table, BlockNumber most) {
    const BlockNumber pages = RelationGetNumberOfBlocks(table);
    if (pages < most) return;
    const char *name = RelationGetRelationName(table);
    ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("the table _snowid.%s is full", name),
                    errdetail("It has %u pages, and it may have %u, because reloads and some starts read all of them.",
                              pages, most),
                    errhint("If rows were changed or rolled back in it, run: VACUUM FULL _snowid.%s;", name)));
}

void require_few_generators(Relation table) {
    LockRelation(table, ShareUpdateExclusiveLock);
    if (RelationGetNumberOfBlocks(table) * std::int64_t{MaxHeapTuplesPerPage} <= kMostGenerators) return;
    std::int64_t rows = 0;
    look_up(table, SnapshotSelf, nullptr, 0, [&rows](HeapTuple) { ++rows; });
    if (rows <= kMostGenerators) return;
    ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("the table _snowid.generator has too many rows"),
                    errdetail("A database can have " INT64_FORMAT
                              " generators and past claims, because reloads and some starts read all of them. Here "
                              "they would be " INT64_FORMAT ".",
                              kMostGenerators, rows)));
}

}  // namespace snowid::server
