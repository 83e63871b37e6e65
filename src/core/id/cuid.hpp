// Cuid: the letter c, milliseconds, a counter, where it was made, and random characters, all in base36. Its author has
// withdrawn it because it reveals all this. We only read it.
#pragma once

#include <string_view>

#include "core/status.hpp"
#include "core/text/number.hpp"
#include "core/time.hpp"

namespace snowid::core {

struct Cuid {
    static constexpr std::size_t kTextSize = 25;

    UnixMicros time;
    std::uint64_t counter;
    std::string_view fingerprint;
    std::string_view random;
};

constexpr Status parse(std::string_view text, Cuid &out) noexcept {
    if (text.size() != Cuid::kTextSize) return Status::bad_length;
    unsigned seen = text[0] == 'c' ? 0 : 0xFF;
    const char *rest = text.data() + 1;
    const std::uint64_t ms = kBase36.get<8>(rest, seen), counter = kBase36.get<4>(rest + 8, seen);
    kBase36.get<12>(rest + 12, seen);
    if (!kBase36.all_digits(seen)) return Status::bad_character;
    out = {{static_cast<std::int64_t>(ms) * kMicrosPerMilli}, counter, {rest + 12, 4}, {rest + 16, 8}};
    return Status::ok;
}

}  // namespace snowid::core
