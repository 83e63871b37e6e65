#include "pg/error.hpp"

#include "core/layout/layout_text.hpp"
#include "pg/compat.hpp"
#include "pg/time.hpp"

extern "C" {
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "pgtime.h"
#include "utils/builtins.h"
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

// Whether PostgreSQL would read the text as a point in time. A day that does not exist is fine, unless the text is a
// number: that may be another id. The name of the zone in brackets, which JavaScript appends, is ignored.
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
    if (ParseDateTime(head, work, sizeof work, field, types, MAXDATEFIELDS, &count) != 0 ||
        has_unknown_zone(field, types, count))
        return false;
    const int error = decode_date_time(field, types, count, &type, &tm, &fraction, &zone);
    return count == 1 && types[0] == DTK_NUMBER ? error == 0 : error != DTERR_BAD_FORMAT;
}

core::Layout layout_until(core::UnixMicros latest_epoch, std::string_view text) {
    core::Layout layout{};
    const core::LayoutError error = core::parse_new_layout(text, latest_epoch, layout);
    if (error.fault == core::LayoutFault::none) return layout;
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("invalid snowflake layout \"%s\"", shown(text)),
                    errdetail("%s", describe(error)), errhint("%s", layout_hint())));
}

const char *shown_tenths(std::int64_t tenths, const char *unit) {
    if (tenths % 10 == 0) return psprintf(INT64_FORMAT " %s", tenths / 10, unit);
    return psprintf(INT64_FORMAT "." INT64_FORMAT " %s", tenths / 10, tenths % 10, unit);
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
        SNOWID_INPUT_ERROR(context,
                           (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
                            errmsg("invalid input syntax for type %s: \"%s\"", type_name, shown(text)),
                            errdetail("This looks like a time, but an untyped literal or parameter is read as an id."),
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
        return psprintf("It has %d character%s, not %d. %s", size, size == 1 ? "" : "s", expected, form);
    return form;
}

void raise_binary_length(const char *type_name, int expected, int got) {
    ereport(ERROR,
            (errcode(ERRCODE_INVALID_BINARY_REPRESENTATION), errmsg("invalid binary data for type %s", type_name),
             errdetail_plural("It has %d byte, not %d.", "It has %d bytes, not %d.", got, got, expected)));
}

void raise_part_out_of_range(const char *part, std::int64_t value, std::uint64_t max) {
    ereport(ERROR,
            (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE), errmsg("%s " INT64_FORMAT " is out of range", part, value),
             errdetail("It must be from 0 to " UINT64_FORMAT ".", max)));
}

void raise_part_length(const char *part, int expected, int got) {
    ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE), errmsg("%s is out of range", part),
                    errdetail_plural("It has %d byte, not %d.", "It has %d bytes, not %d.", got, got, expected)));
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
    auto *text = new (palloc(sizeof(core::FaultText))) core::FaultText{};
    core::describe(error, shown(error.where), *text);
    return text->text;
}

const char *layout_text(const core::Layout &layout) {
    char *text = static_cast<char *>(palloc(core::kMaxLayoutText + 1));
    text[core::format_layout(layout, text)] = '\0';
    return text;
}

const char *layout_hint() {
    return psprintf("A layout reads \"%s\", or is a name that snowid_layouts lists.", core::kPresets[0].text.data());
}

core::Layout read_layout(std::string_view text) { return layout_until(core::kAfterAll, text); }
core::Layout read_new_layout(std::string_view text) { return layout_until(wall_clock_micros(), text); }

const char *shown_time(core::UnixNanos t) { return pstrdup(timestamptz_to_str(to_timestamptz(core::to_micros(t)))); }

const char *shown_duration(std::int64_t ns) {
    constexpr std::int64_t kTenthOfAnHour = 360, kTenthOfADay = 24 * kTenthOfAnHour;
    const std::int64_t seconds = ns / core::kNanosPerSecond;
    if (seconds < 10) return psprintf(INT64_FORMAT " ms", ns / core::kNanosPerMilli);
    if (seconds < 120) return psprintf(INT64_FORMAT " s", seconds);
    if (seconds < 3570) return psprintf(INT64_FORMAT " min", (seconds + 30) / 60);
    if (seconds < 171'000) return shown_tenths((seconds + kTenthOfAnHour / 2) / kTenthOfAnHour, "h");
    return shown_tenths((seconds + kTenthOfADay / 2) / kTenthOfADay, "days");
}

char *shown_in_ascii(std::string_view text, int characters) {
    const int all = static_cast<int>(text.size()), size = pg_mbcharcliplen(text.data(), all, characters);
    StringInfoData shown;
    initStringInfo(&shown);
    for (int i = 0; i < size; ++i) {
        const auto c = static_cast<unsigned char>(text[static_cast<std::size_t>(i)]);
        if (c >= ' ' && c <= '~')
            appendStringInfoChar(&shown, static_cast<char>(c));
        else
            appendStringInfo(&shown, "\\x%02x", c);
    }
    if (size < all) appendStringInfoString(&shown, "...");
    return shown.data;
}

const char *quoted_user() { return quote_identifier(GetUserNameFromId(GetUserId(), false)); }

void require_writable(FunctionCallInfo fcinfo) {
    PreventCommandIfReadOnly(psprintf("%s()", get_func_name(fcinfo->flinfo->fn_oid)));
}

}  // namespace snowid::pg
