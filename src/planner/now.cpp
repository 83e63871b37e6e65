#include "planner/now.hpp"

#include <algorithm>
#include <string_view>

#include "pg/compat.hpp"
#include "pg/node.hpp"

extern "C" {
#include "catalog/pg_type_d.h"
#include "datatype/timestamp.h"
#include "nodes/makefuncs.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"
}

namespace snowid::planner {
namespace {

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

}  // namespace

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

}  // namespace snowid::planner
