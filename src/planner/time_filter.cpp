#include "planner/time_filter.hpp"

#include "pg/compat.hpp"
#include "pg/node.hpp"
#include "server/durable/tables.hpp"

extern "C" {
#include "catalog/pg_proc_d.h"
#include "catalog/pg_type_d.h"
#include "datatype/timestamp.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_coerce.h"
#include "parser/parse_func.h"
#include "parser/parse_type.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"
}

namespace snowid::planner {
namespace {

bool is_time(const Node *argument) {
    const Oid type = exprType(argument);
    return type == TIMESTAMPTZOID || type == TSTZRANGEOID;
}

// Whether a bound is the largest or the smallest value of its type.
bool is_end(const Node *bound, bool largest) {
    const Const *constant = pg::known(bound);
    if (constant == nullptr || constant->constlen <= 0) return false;
    if (constant->constbyval) return DatumGetInt64(constant->constvalue) == (largest ? INT64_MAX : INT64_MIN);
    const auto *bytes = reinterpret_cast<const std::uint8_t *>(DatumGetPointer(constant->constvalue));
    return std::all_of(bytes, bytes + constant->constlen, [=](std::uint8_t b) { return b == (largest ? 0xFF : 0); });
}

// The T in the names T_first() and so on.
const char *prefix_of(const TimeFilter &filter) {
    if (filter.kind->functions != nullptr) return filter.kind->functions;
    return type_name(exprType(filter.id));
}

// The schema of T_first() and so on. A superuser can make functions of ours where the extension is not.
Oid schema_of_bounds(Oid function) {
    const Oid schema = server::extension_schema();
    return OidIsValid(schema) ? schema : get_func_namespace(function);
}

struct Types {
    Oid of[FUNC_MAX_ARGS];
    int count = 0;

    explicit Types(const List *args) {
        const ListCell *cell;
        foreach (cell, args) of[count++] = exprType(static_cast<const Node *>(lfirst(cell)));
    }
};

// PostgreSQL's own look-up says what is missing.
Oid function_named(Oid schema, const char *name, const List *args, bool may_be_missing) {
    const Oid found = function_of(schema, name, args);
    if (OidIsValid(found) || may_be_missing) return found;
    const Types types(args);
    return LookupFuncName(list_make2(makeString(get_namespace_name(schema)), makeString(pstrdup(name))), types.count,
                          types.of, false);
}

// Times such as `now() - interval '1 hour'` follow. A plan over many partitions computes the bound of such a filter for
// each partition, and each function in the bound costs as much as the rest of the filter.

bool is_now(const Node *node) {
    if (const auto *value = pg::as<SQLValueFunction>(node)) return value->op == SVFOP_CURRENT_TIMESTAMP;
    const auto *call = pg::as<FuncExpr>(node);
    return call != nullptr && (call->funcid == F_NOW || call->funcid == F_TRANSACTION_TIMESTAMP);
}

Const *make_shift(Datum interval) {
    return makeConst(INTERVALOID, -1, InvalidOid, sizeof(Interval), interval, false, false);
}

const Interval &interval_in(const Const *shift) { return *DatumGetIntervalP(shift->constvalue); }

// Also if a clock change moves one of them: PostgreSQL adds months, then days, then time, and none of these steps puts
// a later time before an earlier one.
bool are_in_order(const Interval &from, const Interval &to) {
    return from.month <= to.month && from.day <= to.day && from.time <= to.time;
}

bool is_null(const Node *node) {
    const auto *constant = pg::as<Const>(node);
    return constant != nullptr && constant->constisnull;
}

// Which ends belong to the range; nothing if that is not known or not said.
std::string_view bounds_of(const FuncExpr *range) {
    if (range->funcid == F_TSTZRANGE_TIMESTAMPTZ_TIMESTAMPTZ) return "[)";
    if (range->funcid != F_TSTZRANGE_TIMESTAMPTZ_TIMESTAMPTZ_TEXT) return {};
    const Const *bounds = pg::known(pg::nth(range->args, 2));
    if (bounds == nullptr) return {};
    const text *said = DatumGetTextPP(bounds->constvalue);
    const std::string_view view(VARDATA_ANY(said), VARSIZE_ANY_EXHDR(said));
    constexpr std::string_view kBounds[] = {"[)", "[]", "(]", "()"};
    return std::find(std::begin(kBounds), std::end(kBounds), view) == std::end(kBounds) ? std::string_view{} : view;
}

// The interval between now() and the time, or nullptr for other times.
Const *shift_of_now(Node *when) {
    if (is_now(when)) return make_shift(PointerGetDatum(palloc0(sizeof(Interval))));
    const auto *sum = pg::as<OpExpr>(when);
    const Oid function = sum == nullptr ? InvalidOid : get_opcode(sum->opno);
    const bool is_minus = function == F_TIMESTAMPTZ_MI_INTERVAL;
    if (!is_minus && function != F_TIMESTAMPTZ_PL_INTERVAL) return nullptr;
    const Const *shift = pg::known(pg::nth(sum->args, 1));
    if (shift == nullptr || !is_now(pg::nth(sum->args, 0))) return nullptr;
    return make_shift(is_minus ? DirectFunctionCall1(interval_um, shift->constvalue) : shift->constvalue);
}

// The ends of a tstzrange, as comparisons of a time with them. An end that is missing is nullptr.
struct RangeByNow {
    Node *from, *to;
    StrategyNumber from_op, to_op;
};

// The ends of `tstzrange(now() - interval '2 hours', now())` and the like; none of other ranges. Nor if they might not
// be in order, for then the range is an error.
std::optional<RangeByNow> range_by_now(Node *when) {
    const auto *range = pg::as<FuncExpr>(when);
    const std::string_view bounds = range == nullptr ? std::string_view{} : bounds_of(range);
    if (bounds.empty()) return std::nullopt;
    Node *from = pg::nth(range->args, 0), *to = pg::nth(range->args, 1);
    const Const *from_shift = shift_of_now(from), *to_shift = shift_of_now(to);
    if ((from_shift == nullptr && !is_null(from)) || (to_shift == nullptr && !is_null(to))) return std::nullopt;
    const bool has_both = from_shift != nullptr && to_shift != nullptr;
    if (has_both && !are_in_order(interval_in(from_shift), interval_in(to_shift))) return std::nullopt;
    const StrategyNumber above = bounds[0] == '[' ? BTGreaterEqualStrategyNumber : BTGreaterStrategyNumber;
    const StrategyNumber below = bounds[1] == ']' ? BTLessEqualStrategyNumber : BTLessStrategyNumber;
    return RangeByNow{from_shift == nullptr ? nullptr : from, to_shift == nullptr ? nullptr : to, above, below};
}

}  // namespace

const char *type_name(Oid oid) {
    Type type = typeidType(oid);
    const char *name = typeTypeName(type);
    ReleaseSysCache(type);
    return name;
}

Oid function_of(Oid schema, const char *name, const List *args) {
    const Types types(args);
    return server::function_of(schema, name, std::span(types.of).first(static_cast<std::size_t>(types.count)));
}

std::optional<TimeFilter> read_time_filter(PlannerInfo *root, Oid function, const List *args, StrategyNumber op) {
    Node *left = pg::nth(args, 0), *right = pg::nth(args, 1);
    if (right == nullptr) return std::nullopt;
    if (!is_time(left)) return TimeFilter{root, function, &kind_of(exprType(left)), left, right, op};
    const int turned = op == InvalidStrategy ? InvalidStrategy : BTMaxStrategyNumber + 1 - op;
    return TimeFilter{root, function, &kind_of(exprType(right)), right, left, static_cast<StrategyNumber>(turned)};
}

Node *TimeFilter::call_of(Oid callee, List *args) const {
    FuncExpr *call = makeFuncExpr(callee, get_func_rettype(callee), args, InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
    return eval_const_expressions(root, reinterpret_cast<Node *>(call));
}

Node *TimeFilter::call(const char *name, List *args) const {
    return call_of(function_named(schema_of_bounds(function), psprintf("%s_%s", prefix_of(*this), name), args, false),
                   args);
}

Oid TimeFilter::bound_function(const char *which) const {
    const Oid types[] = {exprType(when), TEXTOID};
    return server::function_of(schema_of_bounds(function), psprintf("%s_%s", prefix_of(*this), which),
                               std::span(types).first(is_range() ? 1 : 2));
}

Node *TimeFilter::bound(const char *which, StrategyNumber of_op) const {
    if (is_range()) return call(which, list_make1(copied(when)));
    Node *by_now = kind->single_comparison == nullptr ? nullptr : bound_by_now(which, of_op);
    return by_now != nullptr ? by_now : call(which, list_make2(copied(when), name_of(of_op)));
}

// These functions are where the operator's own function is, in the schema of what is internal.
Node *TimeFilter::bound_by_now(const char *which, StrategyNumber of_op) const {
    Const *shift = is_range() ? nullptr : shift_of_now(when);
    const Oid schema = get_func_namespace(function);
    if (shift == nullptr || schema == schema_of_bounds(function)) return nullptr;
    List *args = list_make2(name_of(of_op), shift);
    const Oid callee = function_named(schema, psprintf("%s_%s_now", prefix_of(*this), which), args, true);
    return OidIsValid(callee) ? call_of(callee, args) : nullptr;
}

StrategyNumber TimeFilter::complement() const {
    constexpr StrategyNumber kComplements[] = {InvalidStrategy,         BTGreaterEqualStrategyNumber,
                                               BTGreaterStrategyNumber, InvalidStrategy,
                                               BTLessStrategyNumber,    BTLessEqualStrategyNumber};
    return kComplements[op];
}

Expr *TimeFilter::upper_bound() const {
    Node *to = last();
    if (is_end(to, true)) return nullptr;
    Node *next = is_below() && is_constant() && !is_end(to, false) ? first_left_out() : to;
    return compare(next == to ? BTLessEqualStrategyNumber : BTLessStrategyNumber, next);
}

List *TimeFilter::ends_by_now() const {
    if (!is_range() || kind->single_comparison == nullptr) return NIL;
    const std::optional<RangeByNow> ends = range_by_now(when);
    List *comparisons = NIL;
    if (ends && ends->from != nullptr)
        comparisons =
            lappend(comparisons, kind->single_comparison({root, function, kind, id, ends->from, ends->from_op}));
    if (ends && ends->to != nullptr)
        comparisons = lappend(comparisons, kind->single_comparison({root, function, kind, id, ends->to, ends->to_op}));
    return comparisons;
}

List *TimeFilter::comparisons() const {
    if (List *by_now = ends_by_now(); by_now != NIL) return by_now;
    if (is_range() || is_constant() || kind->single_comparison == nullptr) return range();
    return list_make1(kind->single_comparison(*this));
}

List *TimeFilter::range() const {
    Node *from = first();
    Expr *upper = upper_bound();
    List *comparisons = upper == nullptr ? NIL : list_make1(upper);
    if (upper == nullptr || !is_end(from, false))
        comparisons = lcons(compare(BTGreaterEqualStrategyNumber, from), comparisons);
    return comparisons;
}

}  // namespace snowid::planner
