#include "pg/shown.hpp"

#include "pg/time.hpp"

extern "C" {
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "utils/timestamp.h"
}

namespace snowid::pg {

const char *shown_time(core::UnixNanos t) { return pstrdup(timestamptz_to_str(to_timestamptz(core::to_micros(t)))); }

namespace {

const char *shown_tenths(std::int64_t tenths, const char *unit) {
    if (tenths % 10 == 0) return psprintf(INT64_FORMAT " %s", tenths / 10, unit);
    return psprintf(INT64_FORMAT "." INT64_FORMAT " %s", tenths / 10, tenths % 10, unit);
}

}  // namespace

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

}  // namespace snowid::pg
