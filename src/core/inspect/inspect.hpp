// What may a text be the id of? Every answer has been through the parser of its format. What has no structure of its
// own is never guessed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/inspect/parts.hpp"
#include "core/layout/layout.hpp"
#include "core/text/writer.hpp"
#include "core/time.hpp"

namespace snowid::core {

// certain: the form has redundancy, and this text fits it. likely: the form fits, and the time is between 2006 and
// tomorrow. possible: the form fits.
enum class Confidence : std::uint8_t { certain, likely, possible };

constexpr std::string_view name_of(Confidence confidence) noexcept {
    constexpr std::string_view kNames[] = {"certain", "likely", "possible"};
    return kNames[static_cast<int>(confidence)];
}

struct Finding {
    FixedText<32> format;
    Confidence confidence;
    bool has_time;
    UnixMicros time;
    FixedText<96> canonical;
    FixedText<kMaxFieldsText> fields;  // an object of JSON
};

struct InspectContext {
    Layout layout;  // of the snowflakes at hand; they come before those of the presets
    UnixMicros now;
};

inline constexpr std::size_t kMaxInspected = 200;  // bytes of a text
inline constexpr std::size_t kMaxFindings = 24;

// Best first. Returns how many there are; none for an empty text and for one that is longer than kMaxInspected.
// REQUIRES: kMaxFindings at `out`.
std::size_t inspect(std::string_view text, const InspectContext &context, Finding *out) noexcept;

// {"id": …, "findings": [{"format": …, "confidence": …, "time": …, "canonical": …, "fields": {…}}, …]}
inline constexpr std::size_t kMaxInspectedJson = kMaxInspected * 5 + kMaxFindings * 1024;
void put_json(Writer &out, std::string_view text, const Finding *findings, std::size_t count) noexcept;

}  // namespace snowid::core
