#include "planner/now.hpp"

#include <algorithm>
#include <string_view>

#include "pg/compat.hpp"

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
    if (IsA(node, SQLValueFunction))
        return reinterpret_cast<const SQLValueFunction *>(node)->op == SVFOP_CURRENT_TIMESTAMP;
    if (!IsA(node, FuncExpr)) return false;
    const Oid function = reinterpret_cast<const FuncExpr *>(node)->funcid;
    return function == F_NOW || function == F_TRANSACTION_TIMESTAMP;
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

bool is_null(const Node *node) { return IsA(node, Const) && reinterpret_cast<const Const *>(node)->constisnull; }

// Which ends belong to the range; nothing if that is not known or not said.
std::string_view bounds_of(const FuncExpr *range) {
    if (range->funcid == F_TSTZRANGE_TIMESTAMPTZ_TIMESTAMPTZ) return "[)";
    if (range->funcid != F_TSTZRANGE_TIMESTAMPTZ_TIMESTAMPTZ_TEXT) return {};
    const auto *bounds = static_cast<const Const *>(lthird(range->args));
    if (!IsA(bounds, Const) || bounds->constisnull) return {};
    const text *said = DatumGetTextPP(bounds->constvalue);
    const std::string_view view(VARDATA_ANY(said), VARSIZE_ANY_EXHDR(said));
    constexpr std::string_view kBounds[] = {"[)", "[]", "(]", "()"};
    return std::find(std::begin(kBounds), std::end(kBounds), view) == std::end(kBounds) ? std::string_view{} : view;
}

}  // namespace

std::optional<RangeByNow> range_by_now(Node *when) {
    if (!IsA(when, FuncExpr)) return std::nullopt;
    const auto *range = reinterpret_cast<const FuncExpr *>(when);
    const std::string_view bounds = bounds_of(range);
    if (bounds.empty()) return std::nullopt;
    auto *from = static_cast<Node *>(linitial(range->args)), *to = static_cast<Node *>(lsecond(range->args));
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
    if (!IsA(when, OpExpr)) return nullptr;
    const auto *sum = reinterpret_cast<const OpExpr *>(when);
    const Oid function = get_opcode(sum->opno);
    const bool is_minus = function == F_TIMESTAMPTZ_MI_INTERVAL;
    if (!is_minus && function != F_TIMESTAMPTZ_PL_INTERVAL) return nullptr;
    const auto *shift = static_cast<const Const *>(lsecond(sum->args));
    if (!is_now(static_cast<const Node *>(linitial(sum->args))) || !IsA(shift, Const) || shift->constisnull)
        return nullptr;
    return make_shift(is_minus ? DirectFunctionCall1(interval_um, shift->constvalue) : shift->constvalue);
}

}  // namespace snowid::planner
