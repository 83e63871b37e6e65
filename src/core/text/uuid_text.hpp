// The text of a uuid as PostgreSQL reads it: 32 hex digits in either case, an optional hyphen after any group of four,
// and optional braces around everything.
#pragma once

#include "core/alphabet/hex.hpp"
#include "core/bytes.hpp"
#include "core/status.hpp"

namespace snowid::core {

inline constexpr std::size_t kUuidTextSize = 36;

constexpr Status parse_uuid(std::string_view text, Bytes<16> &out) noexcept {
    if (text.size() >= 2 && text.front() == '{' && text.back() == '}') text = {text.data() + 1, text.size() - 2};
    char digits[32]{};
    std::size_t count = 0;
    bool may_part = false;
    for (const char c : text) {
        if (c == '-' && may_part) {
            may_part = false;
            continue;
        }
        if (count == sizeof digits) return Status::bad_length;
        digits[count++] = c;
        may_part = count % 4 == 0 && count != sizeof digits;
    }
    return decode_hex({digits, count}, out);
}

// Returns kUuidTextSize. REQUIRES: room for that many characters at `out`.
constexpr std::size_t format_uuid(const Bytes<16> &bytes, char *out) noexcept {
    char digits[32]{};
    encode_hex(bytes, digits);
    for (std::size_t i = 0; i < sizeof digits; ++i) {
        if (i == 8 || i == 12 || i == 16 || i == 20) *out++ = '-';
        *out++ = digits[i];
    }
    return kUuidTextSize;
}

}  // namespace snowid::core
