#include "core/inspect/inspect.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace snowid::core {
namespace {

// Quotes of programs and of word processors, spaces, and what stands between and around values. The braces of a uuid
// are its own.
constexpr std::string_view kAround[] = {
    " ", "\t", "\r",     "\n",     "'",      "\"",     "`",      ",",      ";",      "[",      "]",      "(",     ")",
    "<", ">",  "\u00a0", "\ufeff", "\u200b", "\u2018", "\u2019", "\u201c", "\u201d", "\u201e", "\u00ab", "\u00bb"};
constexpr std::string_view kBefore[] = {"urn:uuid:", "URN:UUID:",     "uuid:", "ObjectId(",
                                        "ObjectID(", "new ObjectId(", "UUID("};

bool trim_one(std::string_view &text) noexcept {
    for (const std::string_view mark : kAround) {
        if (text.starts_with(mark)) return text.remove_prefix(mark.size()), true;
        if (text.ends_with(mark)) return text.remove_suffix(mark.size()), true;
    }
    for (const std::string_view name : kBefore)
        if (text.starts_with(name)) return text.remove_prefix(name.size()), true;
    return false;
}

constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kHexDigits = "0123456789abcdef";

bool is_hex(std::string_view text) noexcept {
    return !text.empty() && text.find_first_not_of("0123456789abcdefABCDEF") == text.npos;
}

// Eight bytes are a number, and others are shown as hex digits.
std::string_view from_hex(std::string_view hex, char *room) noexcept {
    std::uint64_t number = 0;
    if (hex.size() > 16) return hex;
    std::from_chars(hex.data(), hex.data() + hex.size(), number, 16);
    return {room, static_cast<std::size_t>(std::to_chars(room, room + kMaxPasted, number).ptr - room)};
}

// Base64 is told from other texts by its padding. Returns an empty text if it is none, or not of an id's size.
std::string_view from_base64(std::string_view text, char *room) noexcept {
    const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
    if (padding == 0 || text.size() % 4 != 0 || text.size() > 28) return {};
    const std::size_t bytes = text.size() / 4 * 3 - padding;
    if (bytes != 8 && bytes != 10 && bytes != 16 && bytes != 20) return {};
    text.remove_suffix(padding);
    char hex[kMaxPasted];
    std::size_t size = 0;
    std::uint32_t held = 0;
    int bits = 0;
    for (const char c : text) {
        const std::size_t digit = kBase64.find(c == '-' ? '+' : c == '_' ? '/' : c);
        if (digit == kBase64.npos) return {};
        held = held << 6 | static_cast<std::uint32_t>(digit);
        for (bits += 6; bits >= 4; bits -= 4)
            if (size < 2 * bytes) hex[size++] = kHexDigits[held >> (bits - 4) & 15];
    }
    if ((held & ((1U << bits) - 1)) != 0) return {};
    std::copy_n(hex, size, room);
    return bytes == 8 ? from_hex({hex, size}, room) : std::string_view(room, size);
}

}  // namespace

std::string_view unwrap(std::string_view text, char *room) noexcept {
    while (!text.empty() && trim_one(text)) {
    }
    if (text.starts_with("\\\\x")) text.remove_prefix(1);
    const bool is_marked = text.starts_with("\\x") || text.starts_with("0x") || text.starts_with("0X");
    if (is_marked && is_hex({text.data() + 2, text.size() - 2}))
        return from_hex({text.data() + 2, text.size() - 2}, room);
    const std::string_view decoded = from_base64(text, room);
    return decoded.empty() ? text : decoded;
}

std::string_view after_prefix(std::string_view text, std::size_t size) noexcept {
    const auto is_in_name = [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
    };
    if (text.size() < size + 2) return {};
    const std::string_view name(text.data(), text.size() - size - 1);
    const char separator = text[name.size()];
    const bool is_name = separator == '_' || separator == '-' || separator == ':';
    return is_name && std::all_of(name.begin(), name.end(), is_in_name)
               ? std::string_view(text.data() + name.size() + 1, size)
               : std::string_view{};
}

}  // namespace snowid::core
