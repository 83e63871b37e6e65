#include "pg/error.hpp"

#include <cstring>

#include "pg/compat.hpp"
#include "pg/time.hpp"

extern "C" {
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "pgtime.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"
}

namespace snowid::pg {
namespace {

// A word after a date that contains digits or punctuation must be a time zone. PostgreSQL 15 raises its own error for
// an unknown zone, so we look it up first.
bool has_unknown_zone(char *const *field, const int *types, int count) {
    for (int i = 1; i < count; ++i)
        if (types[i] == DTK_DATE && (field[i][0] < '0' || field[i][0] > '9') && pg_tzset(field[i]) == nullptr)
            return true;
    return false;
}

// Whether PostgreSQL would read the text as a point in time. A day that does not exist is fine. JavaScript appends the
// zone's name in brackets, which is ignored.
bool reads_as_time(const char *text) {
    char head[MAXDATELEN + 1];
    char work[MAXDATELEN + MAXDATEFIELDS];
    char *field[MAXDATEFIELDS];
    int types[MAXDATEFIELDS];
    int count = 0, type = 0, zone = 0;
    pg_tm tm;
    fsec_t fraction;
    strlcpy(head, text, sizeof head);
    if (char *bracket = std::strchr(head, '(')) *bracket = '\0';
    return ParseDateTime(head, work, sizeof work, field, types, MAXDATEFIELDS, &count) == 0 &&
           !has_unknown_zone(field, types, count) &&
           decode_date_time(field, types, count, &type, &tm, &fraction, &zone) != DTERR_BAD_FORMAT;
}

}  // namespace

const char *shown(std::string_view text) {
    constexpr int kShownText = 64;
    const int size = static_cast<int>(text.size());
    if (size <= kShownText) return pnstrdup(text.data(), text.size());
    return psprintf("%s...", pnstrdup(text.data(), static_cast<Size>(pg_mbcliplen(text.data(), size, kShownText))));
}

void report_input_error(core::Status status, const char *type_name, const char *form, const char *text,
                        [[maybe_unused]] Node *context) {
    if (status == core::Status::out_of_range)
        SNOWID_INPUT_ERROR(context, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                                     errmsg("value \"%s\" is out of range for type %s", shown(text), type_name),
                                     errdetail("%s", form)));
    else if (reads_as_time(text))
        SNOWID_INPUT_ERROR(context, (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
                                     errmsg("invalid input syntax for type %s: \"%s\"", type_name, shown(text)),
                                     errdetail("This reads as a time, and an untyped literal or parameter is an id."),
                                     errhint("Write timestamptz '...' or $1::timestamptz, or compare the id with "
                                             "%s_lower_bound($1).",
                                             type_name)));
    else
        SNOWID_INPUT_ERROR(context, (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
                                     errmsg("invalid input syntax for type %s: \"%s\"", type_name, shown(text)),
                                     errdetail("%s", form)));
}

const char *describe_input(core::Status status, const char *text, const char *form, std::string_view last) {
    const int size = pg_mbstrlen(text), expected = static_cast<int>(last.size());
    if (status == core::Status::out_of_range)
        return psprintf("It is past the last one, %s.", pnstrdup(last.data(), last.size()));
    if (status == core::Status::bad_length && size != expected)
        return psprintf("It has %d characters, not %d. %s", size, expected, form);
    return form;
}

void raise_binary_length(const char *type_name, int expected, int got) {
    ereport(ERROR,
            (errcode(ERRCODE_INVALID_BINARY_REPRESENTATION), errmsg("invalid binary data for type %s", type_name),
             errdetail("It has %d bytes, not %d.", got, expected)));
}

void raise_part_out_of_range(const char *part, std::int64_t value, std::uint64_t max) {
    ereport(ERROR,
            (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE), errmsg("%s " INT64_FORMAT " is out of range", part, value),
             errdetail("It must be from 0 to " UINT64_FORMAT ".", max)));
}

void raise_part_length(const char *part, int expected, int got) {
    ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE), errmsg("%s is out of range", part),
                    errdetail("It has %d bytes, not %d.", got, expected)));
}

void raise_time_out_of_range(const char *type_name, TimestampTz t, core::UnixMicros first, core::UnixMicros last) {
    ereport(ERROR, (errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
                    errmsg("time %s is out of range for %s", pstrdup(timestamptz_to_str(t)), type_name),
                    errdetail("It must be from %s to %s.", pstrdup(timestamptz_to_str(to_timestamptz(first))),
                              pstrdup(timestamptz_to_str(to_timestamptz(last))))));
}

void raise_time_too_late(const char *type_name, TimestampTz t, core::UnixMicros last) {
    ereport(ERROR, (errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
                    errmsg("time %s is out of range for %s", pstrdup(timestamptz_to_str(t)), type_name),
                    errdetail("It must not be after %s.", pstrdup(timestamptz_to_str(to_timestamptz(last))))));
}

const char *describe(const core::LayoutError &error) {
    using core::LayoutFault;
    const char *where = shown(error.where);
    switch (error.fault) {
        case LayoutFault::none: break;
        case LayoutFault::unknown_preset: return psprintf("There is no layout named \"%s\".", where);
        case LayoutFault::not_a_pair: return psprintf("\"%s\" is not of the form name=value.", where);
        case LayoutFault::bad_name:
            return psprintf("\"%s\" is not a field's name: lower-case letters, digits and _, at most %d of them.",
                            where, static_cast<int>(core::Field::kMaxName));
        case LayoutFault::repeated: return psprintf("\"%s\" is there twice.", where);
        case LayoutFault::missing: return psprintf("\"%s\" is missing.", where);
        case LayoutFault::too_many_fields: return psprintf("It has more than %d fields.", core::Layout::kMaxFields);
        case LayoutFault::bad_epoch:
            return psprintf("\"%s\" is not a UTC date such as 2024-01-01 or 2010-11-04T01:42:54.657Z.", where);
        case LayoutFault::early_epoch: return psprintf("The epoch %s is before 1900.", where);
        case LayoutFault::future_epoch: return psprintf("The epoch %s is in the future by this server's clock.", where);
        case LayoutFault::bad_tick:
            return psprintf("\"%s\" is not a tick: a count of us, ms or s, from 1us to 3600s.", where);
        case LayoutFault::bad_bits: return psprintf("\"%s\" is not a number of bits from 1 to 63.", where);
        case LayoutFault::too_many_bits: return "Its fields have more than 64 bits together.";
        case LayoutFault::wide_sequence:
            return psprintf("Its sequence has more than %d bits.", core::Layout::kMaxPartBits);
        case LayoutFault::wide_worker:
            return psprintf("Its worker's fields have more than %d bits together.", core::Layout::kMaxPartBits);
        case LayoutFault::time_not_first:
            return psprintf("\"time\" must be the first field, not \"%s\": ids sort by what is in their high bits.",
                            where);
        case LayoutFault::ends_too_late: return "Its time reaches past the year 294246.";
    }
    return "";
}

const char *describe(const core::WorkerError &error) {
    using core::WorkerFault;
    const char *where = shown(error.where);
    switch (error.fault) {
        case WorkerFault::none: break;
        case WorkerFault::not_a_number: return psprintf("\"%s\" is not a whole number.", where);
        case WorkerFault::unknown_field: return psprintf("The layout has no field \"%s\" in its worker.", where);
        case WorkerFault::repeated: return psprintf("\"%s\" is there twice.", where);
        case WorkerFault::missing: return psprintf("\"%s\" is missing.", where);
        case WorkerFault::out_of_range:
            return psprintf("\"%s\" must be from 0 to " UINT64_FORMAT ".", where, error.max);
    }
    return "";
}

const char *layout_text(const core::Layout &layout) {
    char *text = static_cast<char *>(palloc(core::kMaxLayoutText + 1));
    text[core::format_layout(layout, text)] = '\0';
    return text;
}

void require_writable(FunctionCallInfo fcinfo) {
    PreventCommandIfReadOnly(psprintf("%s()", get_func_name(fcinfo->flinfo->fn_oid)));
}

}  // namespace snowid::pg
