#include "planner/implied/implied.hpp"

#include "pg/node.hpp"

extern "C" {
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_index.h"
#include "catalog/pg_type_d.h"
#include "nodes/pathnodes.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/partcache.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "utils/typcache.h"
}

namespace snowid::planner {
namespace {

// What a condition on an id can be of use for. Without any use it would only be checked on each row.
enum class Use : std::uint8_t { none, partitions, index };

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

// Where in the text of a query such a condition stands. No other node has this place, and all copies of a node keep it.
constexpr int kMark = -41'041;

// A comparison of two expressions; with an array, of any of its elements.
struct Comparison {
    Oid op, collation;
    Node *left, *right;
    bool is_any;
    int *location;
};

std::optional<Comparison> read_comparison(Node *condition) {
    Comparison found{};
    const List *args = NIL;
    if (auto *op = pg::as<OpExpr>(condition)) {
        args = op->args;
        found = {op->opno, op->inputcollid, nullptr, nullptr, false, &op->location};
    } else if (auto *any = pg::as<ScalarArrayOpExpr>(condition); any != nullptr && any->useOr) {
        args = any->args;
        found = {any->opno, any->inputcollid, nullptr, nullptr, true, &any->location};
    }
    found.left = pg::nth(args, 0);
    found.right = pg::nth(args, 1);
    return found.right == nullptr ? std::nullopt : std::optional(found);
}

// A table with an index on the expression needs no more. A parent's children may be pruned.
bool is_served(PlannerInfo *root, const RelOptInfo *relation, const Node *condition) {
    return !planner_rt_fetch(relation->relid, root)->inh && is_covered(relation, condition);
}

// Whether the other side is the same for all rows of the relation, or at least for those that join one row of others,
// where only an index is worth the bounds.
bool is_known(PlannerInfo *root, const RelOptInfo *relation, const Source &source, Node *other) {
    if (contain_subplans(other) || contain_volatile_functions(other)) return false;
    const Relids of = pull_varnos(root, other);
    if (bms_is_member(static_cast<int>(relation->relid), of)) return false;
    const Use use = use_of(root, relation, source.column);
    if (bms_is_empty(of)) return use != Use::none;
    return use == Use::index && read_local_time(other, nullptr).source.kind != SourceKind::time;
}

std::optional<StrategyNumber> time_operator(Oid op, bool is_turned) {
    const Oid function = get_opcode(op);
    if (function == F_ELEM_CONTAINED_BY_RANGE || function == F_RANGE_CONTAINS_ELEM)
        return is_turned == (function == F_RANGE_CONTAINS_ELEM) ? std::optional(InvalidStrategy) : std::nullopt;
    const Oid family = lookup_type_cache(TIMESTAMPTZOID, TYPECACHE_BTREE_OPFAMILY)->btree_opf;
    const int strategy = get_op_opfamily_strategy(op, family);
    if (strategy == InvalidStrategy) return std::nullopt;
    return static_cast<StrategyNumber>(is_turned ? BTMaxStrategyNumber + 1 - strategy : strategy);
}

// Only texts of the same bytes are equal.
bool is_equality_of_bytes(const Comparison &comparison) {
    return get_opcode(comparison.op) == F_TEXTEQ && OidIsValid(comparison.collation) &&
           get_collation_isdeterministic(comparison.collation);
}

// A condition on one relation, as seen from the side that may be computed from an id of it. What costs more is asked
// later.
struct Look {
    PlannerInfo *root;
    const RelOptInfo *relation;
    const Node *condition;
    const Comparison &comparison;

    bool is_useful(const Source &source, Node *other) const {
        return !is_served(root, relation, condition) && is_known(root, relation, source, other);
    }

    List *implied(Node *side, Node *other, bool is_turned) const {
        const LocalTime derived = read_local_time(side, nullptr);
        const Source &source = derived.source;
        if (source.kind == SourceKind::none || source.relation != relation->relid) return NIL;
        return source.kind == SourceKind::time ? by_time(derived, other, is_turned) : by_text(source, other);
    }

    List *by_time(const LocalTime &time, Node *other, bool is_turned) const {
        if (comparison.is_any) return NIL;
        const std::optional<StrategyNumber> op = time_operator(comparison.op, is_turned);
        if (!op || (*op == InvalidStrategy && exprType(other) != TSTZRANGEOID)) return NIL;
        return is_useful(time.source, other) ? implied_by_time(root, time, *op, other) : NIL;
    }

    List *by_text(const Source &text, Node *other) const {
        if (!is_equality_of_bytes(comparison)) return NIL;
        if (OidIsValid(get_element_type(exprType(other))) != comparison.is_any) return NIL;
        return is_useful(text, other) ? implied_by_text(root, text, other) : NIL;
    }
};

}  // namespace

bool is_covered(const RelOptInfo *relation, const Node *condition) {
    const ListCell *cell;
    foreach (cell, relation->indexlist)
        if (has_side(condition, lfirst_node(IndexOptInfo, cell)->indexprs)) return true;
    foreach (cell, relation->statlist)
        if (has_side(condition, lfirst_node(StatisticExtInfo, cell)->exprs)) return true;
    return false;
}

bool is_comparison(Node *condition) { return read_comparison(condition).has_value(); }

List *implied_by(PlannerInfo *root, const RelOptInfo *relation, Node *condition) {
    const std::optional<Comparison> found = read_comparison(condition);
    if (!found) return NIL;
    const Look look{root, relation, condition, *found};
    List *implied = look.implied(found->left, found->right, false);
    if (implied == NIL && !found->is_any) implied = look.implied(found->right, found->left, true);
    if (implied != NIL) *found->location = kMark;
    return implied;
}

bool has_implied(Node *condition) {
    const std::optional<Comparison> found = read_comparison(condition);
    return found && *found->location == kMark;
}

}  // namespace snowid::planner
