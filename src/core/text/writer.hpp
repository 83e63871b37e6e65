// Appends texts to a buffer that the caller owns. Text that does not fit is dropped.
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/alphabet/hex.hpp"

namespace snowid::core {

class Writer {
public:
    Writer(char *begin, std::size_t room) noexcept : begin_(begin), at_(begin), end_(begin + room) {}

    void put(char c) noexcept {
        if (at_ != end_) *at_++ = c;
    }
    void put(std::string_view text) noexcept {
        for (const char c : text) put(c);
    }
    void put_number(std::integral auto value) noexcept { at_ = std::to_chars(at_, end_, value).ptr; }
    // Pads the number with zeros to this many digits. REQUIRES: value >= 0.
    void put_padded(std::integral auto value, int digits) noexcept {
        decltype(value) smallest = 1;
        for (int i = 1; i < digits; ++i) smallest *= 10;
        for (; smallest > 1 && value < smallest; smallest /= 10) put('0');
        put_number(value);
    }
    template <std::size_t N>
    void put_hex(const Bytes<N> &bytes) noexcept {
        for (const std::uint8_t byte : bytes) {
            char digits[2];
            kHex.put<2>(unsigned{byte}, digits);
            put({digits, sizeof digits});
        }
    }
    // For a message: bytes that are not printable ASCII are shown by their values.
    void put_printable(std::string_view text) noexcept {
        for (const char c : text) {
            if (c >= ' ' && c <= '~') {
                put(c);
            } else {
                put("\\x");
                put_hex(Bytes<1>{static_cast<std::uint8_t>(c)});
            }
        }
    }

    std::size_t size() const noexcept { return static_cast<std::size_t>(at_ - begin_); }
    std::string_view view() const noexcept { return {begin_, size()}; }

private:
    char *begin_;
    char *at_;
    char *end_;
};

// A text of at most N characters, with a zero after it.
template <std::size_t N>
struct FixedText {
    char text[N + 1]{};
    std::size_t size = 0;

    std::string_view view() const noexcept { return {text, size}; }
    // write(writer) appends to a Writer.
    template <std::invocable<Writer &> Write>
    void append(const Write &write) noexcept {
        Writer writer(text + size, N - size);
        write(writer);
        size += writer.size();
        text[size] = '\0';
    }
    void append(std::string_view what) noexcept {
        append([&](Writer &out) { out.put(what); });
    }
};

}  // namespace snowid::core
