#include "pg/type/time_bounds.hpp"

#include "pg/compat.hpp"
#include "pg/type/arguments.hpp"

extern "C" {
#include "nodes/primnodes.h"
}

namespace snowid::pg {
namespace {

bool is_of_constants(const Node *call) {
    if (call == nullptr || !IsA(call, FuncExpr)) return false;
    const ListCell *cell;
    foreach (cell, reinterpret_cast<const FuncExpr *>(call)->args)
        if (!IsA(lfirst(cell), Const)) return false;
    return true;
}

}  // namespace

core::Side read_side(const text *name) {
    core::Side side{};
    if (core::parse(view_of(name), side) != core::Status::ok)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("\"%s\" is not an operator that compares times",
                               pnstrdup(VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name))),
                        errdetail("It must be <, <=, >= or >.")));
    return side;
}

bool read_side_argument(FunctionCallInfo fcinfo, int n, core::Side &side) {
    const text *name = PG_GETARG_TEXT_PP(n);
    if (core::parse(view_of(name), side) == core::Status::ok) return true;
    if (is_of_constants(fcinfo->flinfo->fn_expr)) read_side(name);
    return false;
}

}  // namespace snowid::pg
