// For snowid_check() and snowid_metrics(): what SQL itself cannot see about the server, its settings and a record.
#include <sys/timex.h>

#include "core/layout/layout_text.hpp"
#include "pg/clock.hpp"
#include "pg/error.hpp"
#include "pg/time.hpp"
#include "pg/type/arguments.hpp"
#include "server/named/generator_record.hpp"
#include "server/shared/owner.hpp"
#include "server/shared/settings.hpp"
#include "server/shared/shared.hpp"

extern "C" {
#include "miscadmin.h"
#include "utils/builtins.h"
}

using namespace snowid::core;
using namespace snowid::pg;
using namespace snowid::server;

namespace {

const char *shown(StartState state) {
    switch (state) {
        case StartState::not_begun: return "not begun";
        case StartState::reading: return "reading";
        case StartState::failed: return "failed";
        case StartState::ready: break;
    }
    return "ready";
}

// Whether the kernel says that a time service synchronises its clock.
bool is_synchronised() {
    timex clock{};
    return adjtimex(&clock) < 0 || (clock.status & STA_UNSYNC) == 0;
}

// Returns nullptr if the layout's worker can hold the number.
const char *fault_of_worker(std::string_view value, const Layout &layout) {
    std::uint32_t number = 0;
    if (value == "directory") return nullptr;
    const WorkerError error = parse_worker(value, layout, number);
    return error.fault == WorkerFault::none ? nullptr : describe(error);
}

// What an error says about a row. Rethrows an error about anything else.
const char *taken_error(MemoryContext caller) {
    MemoryContextSwitchTo(caller);
    ErrorData *error = CopyErrorData();
    if (error->sqlerrcode != ERRCODE_INVALID_PARAMETER_VALUE) PG_RE_THROW();
    FlushErrorState();
    return error->detail != nullptr ? error->detail : error->message;
}

const char *fault_of_record(const Datum *values, const bool *nulls) {
    MemoryContext caller = CurrentMemoryContext;
    const char *volatile fault = nullptr;
    PG_TRY();
    {
        GeneratorRecord record{};
        if (try_record_of(values, nulls, record))
            check_record(record);
        else
            fault = "Its scheme or its layout is not valid.";
    }
    PG_CATCH();
    { fault = taken_error(caller); }
    PG_END_TRY();
    return fault;
}

}  // namespace

// For functions of SQL and PL/pgSQL, of which the error does not tell.
SNOWID_FUNCTION(snowid_require_monitor) {
    ErrorContextCallback *const callers = error_context_stack;
    error_context_stack = nullptr;
    require_monitor(text_to_cstring(PG_GETARG_TEXT_PP(0)));
    error_context_stack = callers;
    PG_RETURN_VOID();
}

SNOWID_FUNCTION(snowid_state) {
    if (shared == nullptr && can_share()) attach_shared();
    if (shared == nullptr) PG_RETURN_NULL();
    const Oid failed = shared->database_failed.load();
    const char *database = OidIsValid(failed) ? get_database_name(failed) : nullptr;
    // After a leap the server refuses to make ids until someone accepts the clock.
    const std::int64_t leap = shared->clock.leap_ns(clock_offset_ns(), settings.clock_jump_ns());
    const RowValue row[] = {
        CStringGetTextDatum(shown(shared->start.load())),
        {database == nullptr ? Datum{0} : CStringGetTextDatum(database), database == nullptr},
        {interval_of_ns(leap), leap == 0},
        CStringGetTextDatum(layout_text(shared->layout)),
        BoolGetDatum(is_synchronised()),
    };
    return row_datum(fcinfo, row);
}

// What a server with this layout would find wrong with the value when it starts, or NULL if nothing.
SNOWID_FUNCTION(snowid_setting_fault) {
    const std::string_view value = text_argument(fcinfo, 1);
    const std::string_view name = text_argument(fcinfo, 0);
    const bool is_layout = name == "snowid.layout";
    Layout layout;
    const LayoutError error = is_layout ? parse_new_layout(value, wall_clock_micros(), layout)
                                        : parse_layout(text_argument(fcinfo, 2), layout);
    const bool has_layout = error.fault == LayoutFault::none;
    const char *fault = nullptr;
    if (is_layout && !has_layout) fault = describe(error);
    if (name == "snowid.worker_id" && has_layout) fault = fault_of_worker(value, layout);
    if (fault == nullptr) PG_RETURN_NULL();
    PG_RETURN_DATUM(CStringGetTextDatum(fault));
}

// Why no id can be made with a row of _snowid.generator, or NULL if ids can be made.
SNOWID_FUNCTION(snowid_generator_fault) {
    if (shared == nullptr) PG_RETURN_NULL();
    Datum values[kRecordColumns];
    bool nulls[kRecordColumns];
    const bool is_whole = row_argument(fcinfo, 0, kTableTypes, values, nulls);
    const char *fault = is_whole ? fault_of_record(values, nulls) : "Its columns are not those of the table.";
    if (fault == nullptr) PG_RETURN_NULL();
    PG_RETURN_DATUM(CStringGetTextDatum(fault));
}
