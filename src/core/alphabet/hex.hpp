// Hexadecimal digits: lower case on output, either case on input.
#pragma once

#include "core/alphabet/digits.hpp"
#include "core/bytes.hpp"
#include "core/status.hpp"

namespace snowid::core {

inline constexpr Digits<16> kHex("0123456789abcdef", Letters::folded);

namespace detail {

// The eight digits of 32 bits: puts a nibble into each byte, then turns all bytes into digits at once.
constexpr std::uint64_t hex_digits(std::uint64_t word) noexcept {
    word = (word | word << 16) & 0x0000FFFF0000FFFF;
    word = (word | word << 8) & 0x00FF00FF00FF00FF;
    word = (word | word << 4) & 0x0F0F0F0F0F0F0F0F;
    const std::uint64_t is_letter = (word + 0x0606060606060606) >> 4 & 0x0101010101010101;
    return word + 0x3030303030303030 + is_letter * ('a' - '9' - 1);
}

}  // namespace detail

template <std::size_t N>
constexpr void encode_hex(const Bytes<N> &bytes, char *out) noexcept {
    static_assert(N % 4 == 0);
    for (std::size_t i = 0; i < N; i += 4) store_be<8>(out + 2 * i, detail::hex_digits(load_be<4>(bytes.data() + i)));
}

template <std::size_t N>
constexpr Status decode_hex(std::string_view text, Bytes<N> &out) noexcept {
    constexpr std::size_t kStep = N % 4 == 0 ? 4 : 2;
    static_assert(N % kStep == 0);
    if (text.size() != 2 * N) return Status::bad_length;
    unsigned seen = 0;
    Bytes<N> bytes{};
    for (std::size_t i = 0; i < N; i += kStep)
        store_be<kStep>(bytes.data() + i, kHex.get<2 * kStep>(text.data() + 2 * i, seen));
    if (!kHex.all_digits(seen)) return Status::bad_character;
    out = bytes;
    return Status::ok;
}

}  // namespace snowid::core
