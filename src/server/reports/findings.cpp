// For snowid_check() and snowid_metrics(): what SQL itself cannot see about the server, its settings and a record.
#include <sys/timex.h>

#include "core/layout/layout_text.hpp"
#include "core/time.hpp"
#include "pg/compat.hpp"
#include "pg/error.hpp"
#include "pg/time.hpp"
#include "pg/type/arguments.hpp"
#include "server/named/generator_record.hpp"
#include "server/number/server_number.hpp"
#include "server/number/tenure.hpp"
#include "server/shared/owner.hpp"
#include "server/shared/settings.hpp"
#include "server/shared/shared.hpp"

extern "C" {
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"
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
    const LayoutError error = parse_worker(value, layout, number);
    return error.fault == LayoutFault::none ? nullptr : describe(error);
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

// For snowid_check(): the numbers of the server, and the named generators that have those configured for it.

void add(NumberHolders &holders, Oid database, const char *name) {
    if (holders.shown_count == std::ssize(holders.shown)) return;
    auto &holder = holders.shown[holders.shown_count++];
    holder.database = database;
    strlcpy(holder.name, name, sizeof holder.name);
}

// Those of other databases that the last reload has found, and those that this database has.
NumberHolders still_holding(Scheme scheme) {
    const NumberHolders found = holders_of_next(scheme);
    NumberHolders left{};
    int others = 0, own = 0;
    for (int i = 0; i < found.shown_count; ++i) {
        if (found.shown[i].database == MyDatabaseId) continue;
        add(left, found.shown[i].database, found.shown[i].name);
        ++others;
    }
    each_claim([&](const GeneratorRecord &record) {
        if (!record.has_name() || record.scheme != scheme ||
            !takes_number_of_server(record.info(), next_number(scheme)))
            return;
        add(left, MyDatabaseId, record.name);
        ++own;
    });
    left.more = std::max(others + own, others == 0 ? own : found.more + others) - left.shown_count;
    return left;
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

// A row for each scheme, without numbers if this server has no shared memory.
SNOWID_FUNCTION(snowid_numbers_of_server) {
    if (shared == nullptr && can_share()) attach_shared();
    const snowid::pg::Rows rows(fcinfo);
    for (const Scheme scheme : kSchemes) {
        const SchemeRow &row = scheme_row(scheme);
        const bool is_unknown = shared == nullptr;
        const NumberHolders holders = is_unknown ? NumberHolders{} : still_holding(scheme);
        const bool has_holders = holders.count() != 0;
        rows.add({CStringGetTextDatum(row.name),
                  Int64GetDatum(row.default_generator),
                  CStringGetTextDatum(row.number_name),
                  CStringGetTextDatum(row.number_title),
                  CStringGetTextDatum(row.number_setting),
                  {UInt32GetDatum(is_unknown ? 0 : server_number(scheme)), is_unknown},
                  {UInt32GetDatum(is_unknown ? 0 : next_number(scheme)), is_unknown},
                  {has_holders ? CStringGetTextDatum(shown_holders(holders, false)) : Datum{0}, !has_holders},
                  {Int32GetDatum(holders.count()), is_unknown}});
    }
    return Datum{0};
}

// The view snowid_worker.
SNOWID_FUNCTION(snowid_worker) {
    if (shared == nullptr && can_share()) attach_shared();
    if (shared == nullptr) PG_RETURN_NULL();
    const TenureView view = view_tenure();
    const DirectoryReport &report = view.report;
    const bool of_setting = view.until.value == INT64_MAX;
    const bool is_held = view.until > wall_clock();
    const bool has_number = of_setting || view.tenure.worker != 0, has_error = report.error.sqlstate != 0;
    const bool was_given = !of_setting && view.tenure.worker != 0,
               has_answer = !of_setting && view.tenure.range.first != 0;
    const RowValue row[] = {
        CStringGetTextDatum(has_directory() ? "directory" : "setting"),
        {UInt32GetDatum(server_number(Scheme::snowflake)), !has_number},
        CStringGetTextDatum(is_held ? "held" : "none"),
        {TimestampTzGetDatum(report.since), !was_given},
        {TimestampTzGetDatum(to_timestamptz(to_micros({view.tenure.until_ns}))), !was_given},
        {TimestampTzGetDatum(report.renewed), !was_given},
        {Int64GetDatum(report.losses), of_setting},
        {interval_of_ns(report.clock_difference_ns), !has_answer},
        {Int32GetDatum(report.free_numbers), !has_answer},
        {CStringGetTextDatum(report.address), report.address[0] == '\0'},
        {CStringGetTextDatum(shown_error(report.error)), !has_error},
        {TimestampTzGetDatum(report.error.at), !has_error},
        {UInt32GetDatum(view.tenure.range.first), !has_answer},
        {UInt32GetDatum(view.tenure.range.last), !has_answer},
        {UInt32GetDatum(report.twice), report.twice == 0},
        {TimestampTzGetDatum(report.twice_at), report.twice == 0},
    };
    return row_datum(fcinfo, row);
}
