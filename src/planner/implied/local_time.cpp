#include "planner/implied/local_time.hpp"

#include "core/time.hpp"

extern "C" {
#include "catalog/pg_type_d.h"
#include "parser/scansup.h"
#include "utils/datetime.h"
#include "utils/fmgroids.h"
#include "utils/timestamp.h"
}

using snowid::core::kMicrosPerDay;
using snowid::core::kMicrosPerSecond;

namespace snowid::planner {
namespace {

// The longest that a unit of date_trunc() can be, or 0 for an unknown one.
std::int64_t longest(std::string_view unit) {
    int meaning = 0;
    char *word = downcase_truncate_identifier(unit.data(), static_cast<int>(unit.size()), false);
    if (DecodeUnits(0, word, &meaning) != UNITS) return 0;
    switch (meaning) {
        case DTK_MICROSEC: return 1;
        case DTK_MILLISEC: return 1'000;
        case DTK_SECOND: return kMicrosPerSecond;
        case DTK_MINUTE: return 60 * kMicrosPerSecond;
        case DTK_HOUR: return 3600 * kMicrosPerSecond;
        case DTK_DAY: return kMicrosPerDay;
        case DTK_WEEK: return 7 * kMicrosPerDay;
        case DTK_MONTH: return 31 * kMicrosPerDay;
        case DTK_QUARTER: return 92 * kMicrosPerDay;
        case DTK_YEAR: return 366 * kMicrosPerDay;
        case DTK_DECADE: return 3'653 * kMicrosPerDay;
        case DTK_CENTURY: return 36'525 * kMicrosPerDay;
        case DTK_MILLENNIUM: return 365'250 * kMicrosPerDay;
        default: return 0;
    }
}

Node *argument(const FuncExpr *call, int n) { return static_cast<Node *>(list_nth(call->args, n)); }

LocalTime truncated(const FuncExpr *call, Relids nulling) {
    const auto unit = constant_text(argument(call, 0));
    const std::int64_t length = unit ? longest(*unit) : 0;
    if (length == 0) return {};
    if (list_length(call->args) > 2) {
        const auto zone = constant_text(argument(call, 2));
        if (!zone || !is_real_zone(*zone)) return {};
    }
    LocalTime inner = read_local_time(argument(call, 1), nulling);
    // The day may begin at a time that the clocks show twice. In one real zone they showed a whole day twice.
    const bool changes_offset = call->funcresulttype == TIMESTAMPTZOID && length >= kMicrosPerDay;
    inner.before += changes_offset ? kMicrosPerDay : 0;
    inner.after += length + (changes_offset ? kMicrosPerDay : 0);
    return inner;
}

LocalTime binned(const FuncExpr *call, Relids nulling) {
    const auto *stride = reinterpret_cast<const Const *>(argument(call, 0));
    if (!IsA(stride, Const) || stride->constisnull) return {};
    const Interval *length = DatumGetIntervalP(stride->constvalue);
    constexpr std::int64_t kMost = 400'000;
    if (length->month != 0 || length->day < 0 || length->day > kMost || length->time < 0 ||
        length->time > kMost * kMicrosPerDay || length->day + length->time == 0)
        return {};
    LocalTime inner = read_local_time(argument(call, 1), nulling);
    inner.after += length->day * kMicrosPerDay + length->time;
    return inner;
}

LocalTime without_zone(Node *time, Relids nulling) {
    LocalTime inner = read_local_time(time, nulling);
    inner.type = TIMESTAMPOID;
    inner.before += kLargestOffset;
    inner.after += kLargestOffset;
    return inner;
}

LocalTime in_zone(const FuncExpr *call, Relids nulling) {
    const auto zone = constant_text(argument(call, 0));
    return zone && is_real_zone(*zone) ? without_zone(argument(call, 1), nulling) : LocalTime{};
}

LocalTime date_of(LocalTime time) {
    time.type = DATEOID;
    time.after += kMicrosPerDay;
    return time;
}

LocalTime read_call(const FuncExpr *call, Relids nulling) {
    switch (call->funcid) {
        case F_DATE_TRUNC_TEXT_TIMESTAMPTZ:
        case F_DATE_TRUNC_TEXT_TIMESTAMPTZ_TEXT:
        case F_DATE_TRUNC_TEXT_TIMESTAMP: return truncated(call, nulling);
        case F_DATE_BIN_INTERVAL_TIMESTAMP_TIMESTAMP:
        case F_DATE_BIN_INTERVAL_TIMESTAMPTZ_TIMESTAMPTZ: return binned(call, nulling);
        case F_TIMEZONE_TEXT_TIMESTAMPTZ: return in_zone(call, nulling);
        case F_TIMESTAMP_TIMESTAMPTZ: return without_zone(argument(call, 0), nulling);
        case F_DATE_TIMESTAMPTZ: return date_of(without_zone(argument(call, 0), nulling));
        case F_DATE_TIMESTAMP: return date_of(read_local_time(argument(call, 0), nulling));
        default: return {};
    }
}

}  // namespace

// A zone that is spelled out, such as <+40>-40, can be anything. Those of up to 12 hours are taken.
bool is_real_zone(std::string_view name) {
    if (name.find(',') != std::string_view::npos) return false;
    if (name.find('/') != std::string_view::npos) return true;
    int number = 0;
    bool is_minutes = false;
    for (const char c : name) {
        if (c >= '0' && c <= '9') {
            number = std::min(number * 10 + (c - '0'), 1000);
            if (number > 12 && !is_minutes) return false;
        } else {
            number = 0;
            is_minutes = c == ':';
        }
    }
    return true;
}

LocalTime read_local_time(Node *expression, Relids nulling) {
    Node *value = bare(expression, nulling);
    const auto *call = reinterpret_cast<const FuncExpr *>(value);
    if (!IsA(value, FuncExpr)) return {};
    LocalTime found = read_call(call, nulling);
    if (found.source.kind == SourceKind::none) found = {read_source(value, nulling), TIMESTAMPTZOID, 0, 0};
    return found.source.kind == SourceKind::time ? found : LocalTime{};
}

}  // namespace snowid::planner
