// Base32 from the left, as in RFC 4648 without padding: five bytes become eight digits. The unused bits of the last
// digit must be zero, or one id would have several texts.
#pragma once

#include "core/alphabet/digits.hpp"
#include "core/bytes.hpp"
#include "core/status.hpp"

namespace snowid::core {

template <std::size_t N>
struct Base32 {
    static constexpr std::size_t kBlocks = N / 5;
    static constexpr std::size_t kRestBytes = N % 5;
    static constexpr std::size_t kRestDigits = (kRestBytes * 8 + 4) / 5;
    static constexpr std::size_t kPadding = kRestDigits * 5 - kRestBytes * 8;
    static constexpr std::size_t kTextSize = kBlocks * 8 + kRestDigits;

    static constexpr void encode(const Digits<32> &digits, const Bytes<N> &bytes, char *out) noexcept {
        for (std::size_t i = 0; i < kBlocks; ++i) digits.put<8>(load_be<5>(bytes.data() + 5 * i), out + 8 * i);
        if constexpr (kRestBytes != 0) {
            const std::uint64_t rest = load_be<kRestBytes>(bytes.data() + 5 * kBlocks);
            digits.put<kRestDigits>(rest << kPadding, out + 8 * kBlocks);
        }
    }

    static constexpr Status decode(const Digits<32> &digits, std::string_view text, Bytes<N> &out) noexcept {
        if (text.size() != kTextSize) return Status::bad_length;
        unsigned seen = 0;
        std::uint64_t rest = 0;
        Bytes<N> bytes{};
        for (std::size_t i = 0; i < kBlocks; ++i)
            store_be<5>(bytes.data() + 5 * i, digits.get<8>(text.data() + 8 * i, seen));
        if constexpr (kRestBytes != 0) {
            rest = digits.get<kRestDigits>(text.data() + 8 * kBlocks, seen);
            store_be<kRestBytes>(bytes.data() + 5 * kBlocks, rest >> kPadding);
        }
        if (!digits.all_digits(seen) || (rest & ((1U << kPadding) - 1)) != 0) return Status::bad_character;
        out = bytes;
        return Status::ok;
    }
};

// The extended hex alphabet of RFC 4648, in lower case only, as rs/xid writes and reads it.
inline constexpr Digits<32> kBase32Hex("0123456789abcdefghijklmnopqrstuv");

// Sandflake's: Crockford's digits in upper case only. Unlike ULID's, they hold the bits from the left.
inline constexpr Digits<32> kSandflake32("0123456789ABCDEFGHJKMNPQRSTVWXYZ");

// Crockford's base32 as ULID uses it: 26 digits with the 128 bits at their right end, so the first digit is at most 7.
// Lower case is accepted on input. I, L, O, U and the hyphen are not digits.
inline constexpr Digits<32> kCrockford32("0123456789ABCDEFGHJKMNPQRSTVWXYZ", Letters::folded);
inline constexpr std::size_t kCrockford32Size = 26;

constexpr void encode_crockford32(const Digits<32> &digits, const Bytes<16> &bytes, char *out) noexcept {
    digits.put<10>(load_be<6>(bytes.data()), out);
    digits.put<8>(load_be<5>(bytes.data() + 6), out + 10);
    digits.put<8>(load_be<5>(bytes.data() + 11), out + 18);
}

constexpr Status decode_crockford32(const Digits<32> &digits, std::string_view text, Bytes<16> &out) noexcept {
    if (text.size() != kCrockford32Size) return Status::bad_length;
    unsigned seen = 0;
    const std::uint64_t head = digits.get<10>(text.data(), seen);
    const std::uint64_t middle = digits.get<8>(text.data() + 10, seen);
    const std::uint64_t tail = digits.get<8>(text.data() + 18, seen);
    if (!digits.all_digits(seen)) return Status::bad_character;
    if (head >> 48 != 0) return Status::out_of_range;
    store_be<6>(out.data(), head);
    store_be<5>(out.data() + 6, middle);
    store_be<5>(out.data() + 11, tail);
    return Status::ok;
}

constexpr void encode_crockford32(const Bytes<16> &bytes, char *out) noexcept {
    encode_crockford32(kCrockford32, bytes, out);
}

constexpr Status decode_crockford32(std::string_view text, Bytes<16> &out) noexcept {
    return decode_crockford32(kCrockford32, text, out);
}

}  // namespace snowid::core
