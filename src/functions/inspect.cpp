// snowid_inspect() in SQL: what a text may be the id of.
#include "core/inspect/inspect.hpp"

#include "pg/clock.hpp"
#include "pg/time.hpp"
#include "pg/type/arguments.hpp"
#include "server/layout/layout_record.hpp"

extern "C" {
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/timestamp.h"
}

using snowid::core::Finding;
using snowid::core::kMaxInspected;
using namespace snowid::pg;

namespace {

void require_length(std::string_view id) {
    if (id.empty())
        ereport(ERROR, (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION), errmsg("an empty text is not an id"),
                        errdetail("It has no characters at all.")));
    if (id.size() > kMaxInspected)
        ereport(ERROR, (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION), errmsg("\"%s\" is too long for an id", shown(id)),
                        errdetail("It has %d bytes, but an id has at most %d.", static_cast<int>(id.size()),
                                  static_cast<int>(kMaxInspected)),
                        errhint("Inspect one id at a time.")));
}

struct Found {
    std::size_t count;
    Finding findings[snowid::core::kMaxFindings];
};

Datum row_of(TupleDesc row, const Finding &finding) {
    Datum values[] = {
        CStringGetTextDatum(finding.format.text),
        CStringGetTextDatum(name_of(finding.confidence).data()),
        TimestampTzGetDatum(finding.has_time ? to_timestamptz(finding.time) : 0),
        CStringGetTextDatum(finding.canonical.text),
        DirectFunctionCall1(jsonb_in, CStringGetDatum(finding.fields.text)),
    };
    bool nulls[std::size(values)] = {false, false, !finding.has_time};
    return HeapTupleGetDatum(heap_form_tuple(row, values, nulls));
}

void begin(FuncCallContext *call, FunctionCallInfo fcinfo) {
    MemoryContext caller = MemoryContextSwitchTo(call->multi_call_memory_ctx);
    const std::string_view id = text_argument(fcinfo, 0);
    require_length(id);
    if (get_call_result_type(fcinfo, nullptr, &call->tuple_desc) != TYPEFUNC_COMPOSITE)
        elog(ERROR, "snowid_inspect returns no row");
    call->tuple_desc = BlessTupleDesc(call->tuple_desc);
    auto *found = static_cast<Found *>(palloc(sizeof(Found)));
    const snowid::core::UnixMicros now = to_unix(GetCurrentTransactionStartTimestamp());
    found->count = inspect(id, {snowid::server::recorded_layout(), now}, found->findings);
    call->user_fctx = found;
    MemoryContextSwitchTo(caller);
}

}  // namespace

SNOWID_FUNCTION(snowid_inspect) {
    if (SRF_IS_FIRSTCALL()) begin(SRF_FIRSTCALL_INIT(), fcinfo);
    FuncCallContext *call = SRF_PERCALL_SETUP();
    const auto *found = static_cast<const Found *>(call->user_fctx);
    if (call->call_cntr == found->count) SRF_RETURN_DONE(call);
    const Datum row = row_of(call->tuple_desc, found->findings[call->call_cntr]);
    SRF_RETURN_NEXT(call, row);
}
