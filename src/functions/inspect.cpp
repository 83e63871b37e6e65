// snowid_inspect() in SQL: what a text may be the id of.
#include "core/inspect/column.hpp"

#include "pg/time.hpp"
#include "pg/type/arguments.hpp"
#include "server/durable/layout_record.hpp"
#include "server/number/directory_numbers.hpp"
#include "server/shared/settings.hpp"
#include "server/shared/shared.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/timestamp.h"
}

using namespace snowid::core;
using namespace snowid::pg;
using namespace snowid::server;

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

InspectContext context_of_now() {
    const UnixMicros now = to_unix(GetCurrentTransactionStartTimestamp());
    InspectContext context{recorded_layout(), now};
    if (shared != nullptr && has_directory()) {
        const WorkerRange range = directory_range();
        context.first_worker = range.first;
        context.workers = range.first == 0 ? 0 : range.last - range.first + 1;
    } else if (settings.worker_is_set) {
        context.first_worker = settings.worker;
        context.workers = 1;
    }
    return context;
}

void put_row(const Rows &rows, const Finding &finding) {
    rows.add({
        CStringGetTextDatum(finding.format.text),
        CStringGetTextDatum(name_of(finding.confidence).data()),
        {TimestampTzGetDatum(finding.time ? to_timestamptz(*finding.time) : 0), !finding.time},
        CStringGetTextDatum(finding.canonical.text),
        DirectFunctionCall1(jsonb_in, CStringGetDatum(finding.fields.text)),
    });
}

void put_row(const Rows &rows, const ColumnFinding &finding) {
    rows.add({
        CStringGetTextDatum(finding.format.text),
        CStringGetTextDatum(name_of(finding.confidence).data()),
        Int64GetDatum(finding.ids),
        {TimestampTzGetDatum(finding.has_times ? to_timestamptz(finding.first) : 0), !finding.has_times},
        {TimestampTzGetDatum(finding.has_times ? to_timestamptz(finding.last) : 0), !finding.has_times},
    });
}

}  // namespace

// What a column is; NULLs and empty texts count for nothing.
SNOWID_FUNCTION(snowid_inspect_column) {
    const Rows rows(fcinfo);
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
    ColumnFinding *found = static_cast<ColumnFinding *>(palloc(sizeof(ColumnFinding) * kMaxColumnFindings));
    const std::size_t found_count = column->findings(found);
    for (std::size_t i = 0; i < found_count; ++i) put_row(rows, found[i]);
    return Datum{0};
}

SNOWID_FUNCTION(snowid_inspect) {
    const Rows rows(fcinfo);
    const std::string_view id = text_argument(fcinfo, 0);
    require_length(id);
    Finding findings[kMaxFindings];
    const std::size_t count = inspect(id, context_of_now(), findings);
    for (std::size_t i = 0; i < count; ++i) put_row(rows, findings[i]);
    return Datum{0};
}

SNOWID_FUNCTION(snowid_inspect_number) {
    fcinfo->args[0].value = CStringGetTextDatum(DatumGetCString(DirectFunctionCall1(int8out, PG_GETARG_DATUM(0))));
    return snowid_inspect(fcinfo);
}
