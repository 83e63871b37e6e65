#include "planner/now.hpp"

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

}  // namespace

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
