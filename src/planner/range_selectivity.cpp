// How many rows a comparison of a wide id matches. PostgreSQL's own estimator for <, <=, > and >= cannot tell where an
// id lies within a bin of the histogram, so this one interpolates the bytes.
//
// PostgreSQL pairs `id >= a AND id < b` only if both have its own estimators. It would multiply our estimates as if the
// two were independent. So each comparison looks at the comparisons of the same column that come before it in its AND,
// and says what share of their rows it keeps. The product is then right for the range, however many comparisons there
// are.
#include "pg/node.hpp"

extern "C" {
#include "access/htup_details.h"
#include "access/stratnum.h"
#include "catalog/pg_statistic.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
#include "utils/typcache.h"
}

namespace pg = snowid::pg;

namespace {

// The place of an operator in its type's default btree class.
struct Operator {
    Oid type;
    Oid family;
    int strategy;  // 0: none of <, <=, >, >=
};

bool is_of_fixed_bytes(Oid type) {
    int16 size = 0;
    bool by_value = false;
    get_typlenbyval(type, &size, &by_value);
    return size > 0 && !by_value;
}

// An operator of any type can name this estimator, and another one as its commutator.
Operator describe_operator(Oid op) {
    Oid left = InvalidOid, right = InvalidOid;
    op_input_types(op, &left, &right);
    if (left != right || !is_of_fixed_bytes(left)) return {};
    const Oid family = lookup_type_cache(left, TYPECACHE_BTREE_OPFAMILY)->btree_opf;
    const int strategy = OidIsValid(family) ? get_op_opfamily_strategy(op, family) : 0;
    return {left, family, strategy == BTEqualStrategyNumber ? 0 : strategy};
}

// A comparison of a column with a constant, turned so that the column is on the left.
struct Comparison {
    Operator op;            // strategy 0: we do not understand it, and it holds nothing to release
    const Const *constant;  // nullptr: not known to the planner
    VariableStatData column;

    bool is_upper() const noexcept {
        return op.strategy == BTLessStrategyNumber || op.strategy == BTLessEqualStrategyNumber;
    }
    // Such a comparison has no bytes and holds for no row. Its own share is 0, which makes the whole product 0.
    bool is_with_null() const noexcept { return constant != nullptr && constant->constisnull; }
    // Whether rows that equal the constant are below the bound, which is just before or just after the constant.
    bool equal_is_below() const noexcept {
        return op.strategy == BTLessEqualStrategyNumber || op.strategy == BTGreaterStrategyNumber;
    }
};

// If the comparison is understood, the caller releases the column's statistics.
Comparison read_comparison(PlannerInfo *root, Oid op, List *args, int relid) {
    Comparison c{};
    Node *other = nullptr;
    bool on_left = false;
    if (list_length(args) != 2 || !get_restriction_variable(root, args, relid, &c.column, &other, &on_left)) return c;
    const Oid turned = on_left ? op : get_commutator(op);
    if (OidIsValid(turned)) c.op = describe_operator(turned);
    if (c.op.strategy == 0)
        ReleaseVariableStats(c.column);
    else
        c.constant = pg::as<Const>(other);
    return c;
}

// Where `value` lies between two others, from 0 to 1, judged by the first bytes in which those differ.
double interpolate(const std::uint8_t *low, const std::uint8_t *high, const std::uint8_t *value, int size) {
    int at = 0;
    while (at < size && low[at] == high[at]) ++at;
    double l = 0, h = 0, v = 0;
    for (int i = at; i < std::min(at + 8, size); ++i) {
        l = l * 256 + low[i];
        h = h * 256 + high[i];
        v = v * 256 + value[i];
    }
    return h > l ? std::clamp((v - l) / (h - l), 0.0, 1.0) : 0.5;
}

const std::uint8_t *bytes_of(Datum id) { return reinterpret_cast<const std::uint8_t *>(DatumGetPointer(id)); }

// The share of the histogram's values below this one; negative if the value is not between the histogram's ends.
double share_of_histogram(const AttStatsSlot &histogram, Datum value, int size) {
    const auto below = [=](Datum a, Datum b) {
        return std::memcmp(DatumGetPointer(a), DatumGetPointer(b), static_cast<std::size_t>(size)) < 0;
    };
    const Datum *first = histogram.values, *end = first + histogram.nvalues;
    const Datum *above = std::upper_bound(first, end, value, below);
    if (above == first || above == end) return -1;
    const double bin = interpolate(bytes_of(above[-1]), bytes_of(above[0]), bytes_of(value), size);
    return (static_cast<double>(above - first) - 1 + bin) / (histogram.nvalues - 1);
}

double nulls_of(const VariableStatData &column) {
    return reinterpret_cast<Form_pg_statistic>(GETSTRUCT(column.statsTuple))->stanullfrac;
}

// The share below the constant among rows that have a value but none of the common ones.
double share_of_rare(PlannerInfo *root, Comparison &c, Oid op, FmgrInfo &compare) {
    constexpr double kUnknown = 0.5;
    AttStatsSlot histogram;
    double share = -1;
    if (!get_attstatsslot(&histogram, c.column.statsTuple, STATISTIC_KIND_HISTOGRAM, InvalidOid, ATTSTATSSLOT_VALUES))
        return kUnknown;
    if (histogram.nvalues > 1 && comparison_ops_are_compatible(histogram.staop, op))
        share = share_of_histogram(histogram, c.constant->constvalue, get_typlen(c.op.type));
    free_attstatsslot(&histogram);
    if (share < 0)  // PostgreSQL asks an index for values added since ANALYZE
        share = ineq_histogram_selectivity(root, &c.column, op, &compare, false, c.equal_is_below(), InvalidOid,
                                           c.constant->constvalue, c.op.type);
    return share < 0 ? kUnknown : share;
}

// The share of all rows that are below the constant; negative if nothing can tell.
double rows_below(PlannerInfo *root, Comparison &c) {
    const int strategy = c.equal_is_below() ? BTLessEqualStrategyNumber : BTLessStrategyNumber;
    const Oid op = get_opfamily_member(c.op.family, c.op.type, c.op.type, static_cast<int16>(strategy));
    FmgrInfo compare;
    fmgr_info(get_opcode(op), &compare);
    if (!HeapTupleIsValid(c.column.statsTuple) || !statistic_proc_security_check(&c.column, compare.fn_oid)) return -1;

    double common = 0;
    const double common_below = mcv_selectivity(&c.column, &compare, InvalidOid, c.constant->constvalue, true, &common);
    const double rare = std::max(1 - nulls_of(c.column) - common, 0.0);
    return common_below + rare * share_of_rare(root, c, op, compare);
}

// What the comparisons of one column leave of its rows.
struct Range {
    double from;
    double to;
    bool guessed_from;
    bool guessed_to;
    bool narrowed;

    double share() const noexcept {
        if (guessed_from && guessed_to) return DEFAULT_RANGE_INEQ_SEL;
        const double known = std::max(to - from, 0.0);
        return guessed_from || guessed_to ? known * DEFAULT_INEQ_SEL : known;
    }
};

void narrow(Range &range, PlannerInfo *root, Comparison &c) {
    const double below = c.constant == nullptr ? -1 : rows_below(root, c);
    range.narrowed = true;
    if (c.is_upper()) {
        range.guessed_to |= below < 0;
        if (below >= 0) range.to = std::min(range.to, below);
    } else {
        range.guessed_from |= below < 0;
        if (below >= 0) range.from = std::max(range.from, below);
    }
}

Node *bare(Node *clause) {
    const auto *info = pg::as<RestrictInfo>(clause);
    if (info == nullptr) return clause;
    return reinterpret_cast<Node *>(info->orclause != nullptr ? info->orclause : info->clause);
}

// The list of the AND that contains the comparison with these arguments, or NIL. An index may compare with the
// arguments swapped. The caller finds such a comparison in the list of the table's own conditions.
List *and_of(List *clauses, bool all_hold, const List *args) {
    ListCell *cell;
    foreach (cell, clauses) {
        Node *clause = bare(static_cast<Node *>(lfirst(cell)));
        const auto *op = pg::as<OpExpr>(clause);
        if (op != nullptr && op->args == args) return all_hold ? clauses : NIL;
        const auto *inner = pg::as<BoolExpr>(clause);
        if (inner == nullptr) continue;
        List *found = and_of(inner->args, inner->boolop == AND_EXPR, args);
        if (found != NIL) return found;
    }
    return NIL;
}

bool alike(const Comparison &a, const Comparison &b) {
    return a.op.strategy == b.op.strategy && equal(a.constant, b.constant);
}

// What the comparisons before `self` leave of the column's rows, or all of them if `self` is not in the list.
Range range_before(PlannerInfo *root, List *clauses, const Comparison &self, const List *args, const Range &all,
                   int relid) {
    Range range = all;
    ListCell *cell;
    foreach (cell, clauses) {
        const auto *clause = pg::as<OpExpr>(bare(static_cast<Node *>(lfirst(cell))));
        if (clause == nullptr) continue;
        if (clause->args == args) return range;
        Comparison c = read_comparison(root, clause->opno, clause->args, relid);
        if (c.op.strategy == 0) continue;
        const bool same_column = equal(c.column.var, self.column.var) && c.op.type == self.op.type;
        const bool found = same_column && alike(c, self);
        if (same_column && !found && !c.is_with_null()) narrow(range, root, c);
        ReleaseVariableStats(c.column);
        if (found) return range;
    }
    return all;
}

double selectivity(PlannerInfo *root, Comparison &self, const List *args, int relid) {
    if (self.is_with_null()) return 0;
    const double nulls = HeapTupleIsValid(self.column.statsTuple) ? nulls_of(self.column) : 0;
    const Range all{0, 1 - nulls, false, false, false};
    Range before = all;
    if (self.column.rel != nullptr) {
        List *conditions = self.column.rel->baserestrictinfo;
        List *beside = and_of(conditions, true, args);
        before = range_before(root, beside != NIL ? beside : conditions, self, args, all, relid);
    }
    Range after = before;
    narrow(after, root, self);
    if (!before.narrowed) return after.share();
    return before.share() > 0 ? after.share() / before.share() : 0;
}

}  // namespace

SNOWID_FUNCTION(snowid_range_selectivity) {
    auto *root = reinterpret_cast<PlannerInfo *>(PG_GETARG_POINTER(0));
    auto *args = reinterpret_cast<List *>(PG_GETARG_POINTER(2));
    const int relid = PG_GETARG_INT32(3);
    Comparison comparison = read_comparison(root, PG_GETARG_OID(1), args, relid);
    if (comparison.op.strategy == 0) PG_RETURN_FLOAT8(DEFAULT_INEQ_SEL);
    double share = selectivity(root, comparison, args, relid);
    ReleaseVariableStats(comparison.column);
    CLAMP_PROBABILITY(share);
    PG_RETURN_FLOAT8(share);
}
