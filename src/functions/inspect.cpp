// snowid_inspect() in SQL: what a text may be the id of.
#include "core/inspect/column.hpp"

#include "pg/clock.hpp"
#include "pg/time.hpp"
#include "pg/type/arguments.hpp"
#include "server/durable/layout_record.hpp"
#include "server/number/directory_numbers.hpp"
#include "server/shared/settings.hpp"
#include "server/shared/shared.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"
}

using snowid::core::Column;
using snowid::core::ColumnFinding;
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

snowid::core::InspectContext context_of_now() {
    const snowid::core::UnixMicros now = to_unix(GetCurrentTransactionStartTimestamp());
    snowid::core::InspectContext context{snowid::server::recorded_layout(), now};
    if (snowid::server::shared != nullptr && snowid::server::has_directory()) {
        const snowid::core::WorkerRange range = snowid::server::directory_range();
        context.first_worker = range.first;
        context.workers = range.first == 0 ? 0 : range.last - range.first + 1;
    } else if (snowid::server::settings.worker_is_set) {
        context.first_worker = snowid::server::settings.worker;
        context.workers = 1;
    }
    return context;
}

struct Found {
    std::size_t count;
    Finding findings[snowid::core::kMaxFindings];
};

Datum finding_row(TupleDesc row, const Finding &finding) {
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
    found->count = inspect(id, context_of_now(), found->findings);
    call->user_fctx = found;
    MemoryContextSwitchTo(caller);
}

void put_row(const ReturnSetInfo &result, const ColumnFinding &finding) {
    Datum values[] = {
        CStringGetTextDatum(finding.format.text),
        CStringGetTextDatum(name_of(finding.confidence).data()),
        Int64GetDatum(finding.ids),
        TimestampTzGetDatum(finding.has_times ? to_timestamptz(finding.first) : 0),
        TimestampTzGetDatum(finding.has_times ? to_timestamptz(finding.last) : 0),
    };
    bool nulls[std::size(values)] = {false, false, false, !finding.has_times, !finding.has_times};
    tuplestore_putvalues(result.setResult, result.setDesc, values, nulls);
}

}  // namespace

// What a column is; NULLs and empty texts count for nothing.
SNOWID_FUNCTION(snowid_inspect_column) {
    InitMaterializedSRF(fcinfo, 0);
    const auto &result = *reinterpret_cast<const ReturnSetInfo *>(fcinfo->resultinfo);
    auto *column = new (palloc(sizeof(Column))) Column(context_of_now());
    Datum *ids = nullptr;
    bool *nulls = nullptr;
    int count = 0;
    deconstruct_array(PG_GETARG_ARRAYTYPE_P(0), TEXTOID, -1, false, TYPALIGN_INT, &ids, &nulls, &count);
    for (int i = 0; i < count; ++i) {
        CHECK_FOR_INTERRUPTS();
        const std::string_view id = nulls[i] ? std::string_view() : view_of(DatumGetTextPP(ids[i]));
        if (id.size() <= kMaxInspected) column->add(id);
    }
    ColumnFinding *found =
        static_cast<ColumnFinding *>(palloc(sizeof(ColumnFinding) * snowid::core::kMaxColumnFindings));
    const std::size_t rows = column->findings(found);
    for (std::size_t i = 0; i < rows; ++i) put_row(result, found[i]);
    return Datum{0};
}

SNOWID_FUNCTION(snowid_inspect) {
    if (SRF_IS_FIRSTCALL()) begin(SRF_FIRSTCALL_INIT(), fcinfo);
    FuncCallContext *call = SRF_PERCALL_SETUP();
    const auto *found = static_cast<const Found *>(call->user_fctx);
    if (call->call_cntr == found->count) SRF_RETURN_DONE(call);
    const Datum row = finding_row(call->tuple_desc, found->findings[call->call_cntr]);
    SRF_RETURN_NEXT(call, row);
}

SNOWID_FUNCTION(snowid_inspect_number) {
    if (SRF_IS_FIRSTCALL())
        fcinfo->args[0].value = CStringGetTextDatum(DatumGetCString(DirectFunctionCall1(int8out, PG_GETARG_DATUM(0))));
    return snowid_inspect(fcinfo);
}
