// The prefix of a text such as ord_3OpFVydIs36JyzKjcbwurq says what kind of thing the id belongs to. It consists of
// lower-case letters and _, with a letter at each end. The rule is the same for TypeIDs and sealed ids.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace snowid::core {

inline constexpr std::size_t kMaxPrefix = 63;
inline constexpr char kPrefixEnd = '_';

constexpr bool is_prefix(std::string_view text) noexcept {
    const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
    return !text.empty() && text.size() <= kMaxPrefix && is_letter(text.front()) && is_letter(text.back()) &&
           std::all_of(text.begin(), text.end(), [&](char c) { return is_letter(c) || c == '_'; });
}

// The parts of a text: the last `size` characters, and the prefix before them, without the _ between. If there is no _
// or nothing before it, the text has no prefix.
struct Prefixed {
    std::string_view prefix;
    std::string_view rest;
};

constexpr bool split_prefix(std::string_view text, std::size_t size, Prefixed &out) noexcept {
    if (text.size() < size + 2) return false;
    const std::size_t end = text.size() - size - 1;
    out = {{text.data(), end}, {text.data() + end + 1, size}};
    return text[end] == kPrefixEnd && is_prefix(out.prefix);
}

// Returns how many characters it wrote.
constexpr std::size_t put_prefix(std::string_view prefix, char *out) noexcept {
    if (prefix.empty()) return 0;
    std::copy_n(prefix.data(), prefix.size(), out);
    out[prefix.size()] = kPrefixEnd;
    return prefix.size() + 1;
}

}  // namespace snowid::core
