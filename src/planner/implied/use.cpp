#include "pg/node.hpp"
#include "planner/implied/implied.hpp"

extern "C" {
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_index.h"
#include "parser/parsetree.h"
#include "utils/partcache.h"
#include "utils/rel.h"
#include "utils/syscache.h"
}

namespace snowid::planner {
namespace {

bool has_key(Oid index, AttrNumber column) {
    HeapTuple tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(index));
    if (!HeapTupleIsValid(tuple)) return false;
    const auto *row = reinterpret_cast<Form_pg_index>(GETSTRUCT(tuple));
    const AttrNumber *keys = row->indkey.values;
    const bool has = std::find(keys, keys + row->indnkeyatts, column) != keys + row->indnkeyatts;
    ReleaseSysCache(tuple);
    return has;
}

bool has_index(Relation table, AttrNumber column) {
    if (!table->rd_rel->relhasindex) return false;
    bool has = false;
    List *indexes = RelationGetIndexList(table);
    const ListCell *cell;
    foreach (cell, indexes) has = has || has_key(lfirst_oid(cell), column);
    list_free(indexes);
    return has;
}

// Extensions such as HypoPG show the planner indexes that do not exist.
bool has_hypothetical_index(const RelOptInfo *relation, AttrNumber column) {
    const ListCell *cell;
    foreach (cell, relation->indexlist) {
        const auto *index = lfirst_node(IndexOptInfo, cell);
        const int *keys = index->indexkeys;
        const bool has = std::find(keys, keys + index->nkeycolumns, column) != keys + index->nkeycolumns;
        if (index->hypothetical && has) return true;
    }
    return false;
}

bool is_partitioned_by(Relation table, AttrNumber column) {
    if (table->rd_rel->relkind != RELKIND_PARTITIONED_TABLE) return false;
    const PartitionKey key = RelationGetPartitionKey(table);
    return std::find(key->partattrs, key->partattrs + key->partnatts, column) != key->partattrs + key->partnatts;
}

bool is_side(const Node *condition, const Node *expression) {
    const auto *op = pg::as<OpExpr>(condition);
    const auto *any = pg::as<ScalarArrayOpExpr>(condition);
    const List *sides = op != nullptr ? op->args : any != nullptr ? any->args : NIL;
    return equal(pg::nth(sides, 0), expression) || equal(pg::nth(sides, 1), expression);
}

bool has_side(const Node *condition, const List *expressions) {
    const ListCell *cell;
    foreach (cell, expressions)
        if (is_side(condition, static_cast<const Node *>(lfirst(cell)))) return true;
    return false;
}

}  // namespace

// The children of other parents may have indexes that the parent does not have.
Use use_of(PlannerInfo *root, const RelOptInfo *relation, AttrNumber column) {
    const RangeTblEntry *entry = planner_rt_fetch(relation->relid, root);
    Relation table = table_open(entry->relid, NoLock);
    const bool is_parent = entry->inh && table->rd_rel->relkind != RELKIND_PARTITIONED_TABLE;
    const bool is_foreign = table->rd_rel->relkind == RELKIND_FOREIGN_TABLE;
    Use use = Use::none;
    if (is_parent || is_foreign || has_index(table, column) || has_hypothetical_index(relation, column))
        use = Use::index;
    else if (is_partitioned_by(table, column))
        use = Use::partitions;
    table_close(table, NoLock);
    return use;
}

bool is_covered(const RelOptInfo *relation, const Node *condition) {
    const ListCell *cell;
    foreach (cell, relation->indexlist)
        if (has_side(condition, lfirst_node(IndexOptInfo, cell)->indexprs)) return true;
    foreach (cell, relation->statlist)
        if (has_side(condition, lfirst_node(StatisticExtInfo, cell)->exprs)) return true;
    return false;
}

}  // namespace snowid::planner
