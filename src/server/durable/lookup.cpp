#include "server/durable/lookup.hpp"

extern "C" {
#include "access/genam.h"
#include "access/htup_details.h"
#include "catalog/pg_collation_d.h"
#include "catalog/pg_index.h"
#include "catalog/pg_opfamily_d.h"
#include "nodes/pg_list.h"
#include "storage/bufmgr.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
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

// Returns InvalidOid if there is none. All rows are in the table; an index that others have added may not be able to
// give them.
Oid index_for(Relation table, const ScanKeyData *keys, int key_count) {
    Oid found = InvalidOid;
    if (key_count == 0) return found;
    List *indexes = RelationGetIndexList(table);
    const ListCell *cell = nullptr;
    foreach (cell, indexes) {
        HeapTuple tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(lfirst_oid(cell)));
        if (!HeapTupleIsValid(tuple)) continue;
        const auto &index = *reinterpret_cast<const FormData_pg_index *>(GETSTRUCT(tuple));
        if (begins_with(index, keys, key_count) && is_plain_index(tuple) &&
            has_default_order(index.indexrelid, key_count))
            found = index.indexrelid;
        ReleaseSysCache(tuple);
    }
    list_free(indexes);
    return found;
}

void scan(Relation table, Oid index, Snapshot snapshot, ScanKeyData *keys, int key_count, SeeTuple see) {
    const bool by_index = OidIsValid(index);  // a scan of the table cannot search for NULL, so it uses no keys
    SysScanDesc scan = systable_beginscan(table, index, by_index, snapshot, by_index ? key_count : 0, keys);
    while (HeapTuple tuple = systable_getnext(scan)) see(tuple);
    systable_endscan(scan);
}

}  // namespace

bool is_plain_index(HeapTuple index) {
    return heap_attisnull(index, Anum_pg_index_indpred, nullptr) &&
           heap_attisnull(index, Anum_pg_index_indexprs, nullptr);
}

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
    if (!OidIsValid(oid)) return look_up(table, nullptr, nullptr, 0, see);
    Relation index = index_open(oid, AccessShareLock);
    SysScanDesc scan = systable_beginscan_ordered(table, index, nullptr, 0, nullptr);
    if (HeapTuple tuple = systable_getnext_ordered(scan, BackwardScanDirection)) see(tuple);
    systable_endscan_ordered(scan);
    index_close(index, AccessShareLock);
}

}  // namespace snowid::server
