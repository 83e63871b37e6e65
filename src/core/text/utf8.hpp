// Just enough of UTF-8 to tell whether a text is valid.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace snowid::core {

// How many bytes the first character has, or 0 if the text does not begin with a valid character.
constexpr std::size_t utf8_size(std::string_view text) noexcept {
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<std::uint8_t>(text[i]) : 0U; };
    const unsigned lead = byte(0), second = byte(1);
    if (text.empty()) return 0;
    if (lead < 0x80) return 1;
    if (lead < 0xC2 || lead > 0xF4) return 0;
    const std::size_t size = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    for (std::size_t i = 1; i < size; ++i)
        if (byte(i) >> 6 != 0b10) return 0;
    // Longer than necessary, half of a surrogate pair, or past the last character.
    const bool is_bad = (lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) ||
                        (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F);
    return is_bad ? 0 : size;
}

}  // namespace snowid::core
