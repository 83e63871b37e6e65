// Crockford's base32 as ULID uses it: 26 digits with the 128 bits at their right end, so the first digit is at most 7.
// Lower case is accepted on input. I, L, O, U and the hyphen are not digits.
#pragma once

#include "core/alphabet/digits.hpp"
#include "core/bytes.hpp"
#include "core/status.hpp"

namespace snowid::core {

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
