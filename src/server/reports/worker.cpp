// The view snowid_worker.
#include "core/time.hpp"
#include "pg/clock.hpp"
#include "pg/time.hpp"
#include "pg/type/arguments.hpp"
#include "server/number/tenure.hpp"
#include "server/shared/shared.hpp"

extern "C" {
#include "utils/builtins.h"
#include "utils/timestamp.h"
}

using namespace snowid::core;
using namespace snowid::pg;
using namespace snowid::server;

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
