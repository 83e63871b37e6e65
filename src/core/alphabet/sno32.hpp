// The base32 of sno: ten bytes become sixteen digits from 2-9 and a-x, in lower case only.
//
// If the CPU has SSSE3, the codec works on one register of sixteen characters. Otherwise it reads a text in 64-bit
// words of eight characters, which is much faster than digit by digit. It writes digit by digit, which is not slower.
#pragma once

#include <type_traits>

#include "core/alphabet/base32.hpp"
#include "core/alphabet/sno32_ssse3.hpp"

namespace snowid::core {

inline constexpr Digits<32> kSno32("23456789abcdefghijklmnopqrstuvwx");
inline constexpr std::size_t kSno32Size = Base32<10>::kTextSize;

namespace detail {

constexpr std::uint64_t each_byte(unsigned byte) noexcept { return 0x0101010101010101ULL * byte; }

// Packs the low five bits of each of eight bytes into 40 bits.
constexpr std::uint64_t gather_digits(std::uint64_t digits) noexcept {
    digits = (digits >> 3 & 0x03E003E0'03E003E0) | (digits & 0x001F001F'001F001F);
    digits = (digits >> 6 & 0x000FFC00'000FFC00) | (digits & 0x000003FF'000003FF);
    return (digits >> 12 & 0xFF'FFF00000) | (digits & 0x000FFFFF);
}

constexpr unsigned kFirstLetter = 8;  // the value of the digit a
constexpr unsigned kGap = 'a' - ('2' + kFirstLetter);

// Sets the top bit of each byte that is at least `least`. REQUIRES: no byte has its top bit set.
constexpr std::uint64_t at_least(std::uint64_t bytes, unsigned least) noexcept {
    return bytes + each_byte(0x80 - least);
}

// The values of eight digits. Sets the top bit of a byte in `wrong` for each character that is not a digit.
constexpr std::uint64_t sno32_digits(std::uint64_t text, std::uint64_t &wrong) noexcept {
    const std::uint64_t ascii = text & each_byte(0x7F), letter = at_least(ascii, 'a');
    wrong |= text | ~at_least(ascii, '2') | (at_least(ascii, '9' + 1) & ~letter) | at_least(ascii, 'x' + 1);
    return (ascii - each_byte('2') - (letter >> 7 & each_byte(1)) * kGap) & each_byte(0x1F);
}

}  // namespace detail

// REQUIRES: kSno32Size characters.
inline Status decode_sno32_words(const char *text, Bytes<10> &out) noexcept {
    const auto *in = reinterpret_cast<const std::uint8_t *>(text);
    std::uint64_t wrong = 0;
    const std::uint64_t head = detail::sno32_digits(load_be<8>(in), wrong);
    const std::uint64_t tail = detail::sno32_digits(load_be<8>(in + 8), wrong);
    if ((wrong & detail::each_byte(0x80)) != 0) return Status::bad_character;
    store_be<5>(out.data(), detail::gather_digits(head));
    store_be<5>(out.data() + 5, detail::gather_digits(tail));
    return Status::ok;
}

constexpr void encode_sno32(const Bytes<10> &bytes, char *out) noexcept {
#if defined(__x86_64__)
    if (!std::is_constant_evaluated() && has_ssse3()) [[likely]]
        return encode_sno32_ssse3(bytes, out);
#endif
    Base32<10>::encode(kSno32, bytes, out);
}

constexpr Status decode_sno32(std::string_view text, Bytes<10> &out) noexcept {
    if (std::is_constant_evaluated()) return Base32<10>::decode(kSno32, text, out);
    if (text.size() != kSno32Size) return Status::bad_length;
#if defined(__x86_64__)
    if (has_ssse3()) [[likely]]
        return decode_sno32_ssse3(text.data(), out);
#endif
    return decode_sno32_words(text.data(), out);
}

}  // namespace snowid::core
