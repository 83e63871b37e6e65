// Times as texts, always in UTC: "2024-01-01", "2024-01-01T10:20", "2024-01-01 10:20:30.123456Z".
#pragma once

#include <string_view>

#include "core/text/writer.hpp"
#include "core/time.hpp"

namespace snowid::core {

bool parse_time(std::string_view text, UnixMicros &out) noexcept;

// A date and a time of day, such as 2024-01-01T10:20:30.123Z. It has six digits after the point if three are not
// enough.
void put_time(Writer &out, UnixMicros t) noexcept;

inline FixedText<40> time_text(UnixMicros t) noexcept {
    FixedText<40> text;
    text.append([&](Writer &out) { put_time(out, t); });
    return text;
}

// As short as possible: without the time of day at midnight, and without a fraction of zero.
void put_short_time(Writer &out, UnixMicros t) noexcept;

}  // namespace snowid::core
