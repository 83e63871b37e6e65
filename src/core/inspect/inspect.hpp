// What may a text be the id of? Every answer has been through the parser of its format. What has no structure of its
// own is never guessed.
#pragma once

#include <cstddef>
#include <string_view>

#include "core/inspect/findings.hpp"

namespace snowid::core {

// Bytes of a text. No id is as long; callers refuse a longer text.
inline constexpr std::size_t kMaxInspected = 200;

// Best first. Returns how many there are; none for an empty text. REQUIRES: kMaxFindings at `out`.
std::size_t inspect(std::string_view text, const InspectContext &context, Finding *out) noexcept;

// {"id": …, "findings": [{"format": …, "confidence": …, "time": …, "canonical": …, "fields": {…}}, …]}
inline constexpr std::size_t kMaxInspectedJson = kMaxInspected * 6 + kMaxFindings * 1024;
void put_json(Writer &out, std::string_view text, const Finding *findings, std::size_t count) noexcept;

}  // namespace snowid::core
