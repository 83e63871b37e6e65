// The slow and obvious twin of every codec: one big number, converted digit by digit. Tests compare the real codecs
// with it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/id/types.hpp"

namespace snowid::test {

// A number in base 256, highest byte first.
using Number = std::vector<std::uint8_t>;

inline void multiply_add(Number &number, unsigned factor, unsigned addend) {
    for (auto byte = number.rbegin(); byte != number.rend(); ++byte) {
        addend += *byte * factor;
        *byte = static_cast<std::uint8_t>(addend);
        addend >>= 8;
    }
}

inline unsigned divide(Number &number, unsigned divisor) {
    unsigned remainder = 0;
    for (std::uint8_t &byte : number) {
        remainder = remainder << 8 | byte;
        byte = static_cast<std::uint8_t>(remainder / divisor);
        remainder %= divisor;
    }
    return remainder;
}

struct Twin {
    std::string alphabet;
    std::size_t text_size;
    unsigned padding = 1;  // the number is multiplied by this
    bool is_case_folded = false;

    unsigned base() const { return static_cast<unsigned>(alphabet.size()); }

    std::string encode(const std::uint8_t *bytes, std::size_t size) const {
        Number number(kRoom, 0);
        std::copy_n(bytes, size, number.end() - static_cast<std::ptrdiff_t>(size));
        multiply_add(number, padding, 0);
        std::string text;
        for (std::size_t i = 0; i < text_size; ++i) text.insert(text.begin(), alphabet[divide(number, base())]);
        return text;
    }

    core::Status decode(std::string_view text, std::uint8_t *bytes, std::size_t size) const {
        if (text.size() != text_size) return core::Status::bad_length;
        Number number(kRoom, 0);
        for (const char c : text) {
            const std::size_t digit = value_of(c);
            if (digit == std::string::npos) return core::Status::bad_character;
            multiply_add(number, base(), static_cast<unsigned>(digit));
        }
        if (divide(number, padding) != 0) return core::Status::bad_character;
        const auto first = number.end() - static_cast<std::ptrdiff_t>(size);
        if (std::any_of(number.begin(), first, [](std::uint8_t byte) { return byte != 0; }))
            return core::Status::out_of_range;
        std::copy(first, number.end(), bytes);
        return core::Status::ok;
    }

private:
    static constexpr std::size_t kRoom = 32;  // bytes: room for the value of any text

    std::size_t value_of(char c) const {
        const std::size_t digit = alphabet.find(c);
        if (digit != std::string::npos || !is_case_folded) return digit;
        const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        return is_letter ? alphabet.find(static_cast<char>(c ^ 0x20)) : std::string::npos;
    }
};

inline Twin twin_of(const core::Ulid &) { return {"0123456789ABCDEFGHJKMNPQRSTVWXYZ", 26, 1, true}; }
inline Twin twin_of(const core::Ksuid &) {
    return {"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", 27, 1, false};
}
inline Twin twin_of(const core::ObjectId &) { return {"0123456789abcdef", 24, 1, true}; }
inline Twin twin_of(const core::Rsxid &) { return {"0123456789abcdefghijklmnopqrstuv", 20, 16, false}; }
inline Twin twin_of(const core::Sandflake &) { return {"0123456789ABCDEFGHJKMNPQRSTVWXYZ", 26, 4, false}; }
inline Twin twin_of(const core::Sno &) { return {"23456789abcdefghijklmnopqrstuvwx", 16, 1, false}; }

}  // namespace snowid::test
