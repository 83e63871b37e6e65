#include "pg/type_time_filter.hpp"

#include "pg/compat.hpp"

namespace snowid::pg {

core::Side side_argument(FunctionCallInfo fcinfo, int n) {
    const text *name = PG_GETARG_TEXT_PP(n);
    const std::string_view op(VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name));
    core::Side side{};
    if (core::parse(op, side) != core::Status::ok)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("\"%s\" is not an operator that compares times", pnstrdup(op.data(), op.size())),
                        errdetail("It must be <, <=, >= or >.")));
    return side;
}

}  // namespace snowid::pg
