// Finds the formats that a text may be an id of. Every finding has passed the parser of its format. A format without a
// structure of its own is never guessed.
#pragma once

#include <cstddef>
#include <string_view>

#include "core/inspect/findings.hpp"

namespace snowid::core {

// In bytes. No id is this long. Callers refuse a longer text.
inline constexpr std::size_t kMaxInspected = 200;

// Most certain first. Returns the number of findings, 0 for an empty text. REQUIRES: room for kMaxFindings at `out`.
std::size_t inspect(std::string_view text, const InspectContext &context, Finding *out) noexcept;

// {"id": …, "findings": [{"format": …, "confidence": …, "time": …, "canonical": …, "fields": {…}}, …]}
inline constexpr std::size_t kMaxInspectedJson = kMaxInspected * 6 + kMaxFindings * 1024;
void put_json(Writer &out, std::string_view text, const Finding *findings, std::size_t count) noexcept;

}  // namespace snowid::core
