#include "pg/shown.hpp"

#include "pg/time.hpp"

extern "C" {
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "utils/timestamp.h"
}

namespace snowid::pg {

const char *shown_time(core::UnixNanos t) { return pstrdup(timestamptz_to_str(to_timestamptz(core::to_micros(t)))); }

const char *shown_roughly(std::int64_t ns) {
    const std::int64_t minutes = (ns / core::kNanosPerSecond + 30) / 60;
    if (minutes < 2) return shown_duration(ns);
    return minutes < 60 ? psprintf(INT64_FORMAT " min", minutes) : psprintf(INT64_FORMAT " h", (minutes + 30) / 60);
}

const char *shown_duration(std::int64_t ns) {
    if (ns < 10 * core::kNanosPerSecond) return psprintf(INT64_FORMAT " ms", ns / core::kNanosPerMilli);
    return psprintf(INT64_FORMAT " s", ns / core::kNanosPerSecond);
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
