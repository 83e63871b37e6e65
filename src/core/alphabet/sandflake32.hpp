// Sandflake's base32: Crockford's digits in upper case only. Unlike ULID's, they hold the bits from the left.
#pragma once

#include "core/alphabet/base32.hpp"

namespace snowid::core {

inline constexpr Digits<32> kSandflake32("0123456789ABCDEFGHJKMNPQRSTVWXYZ");

template <std::size_t N>
constexpr void encode_sandflake32(const Bytes<N> &bytes, char *out) noexcept {
    Base32<N>::encode(kSandflake32, bytes, out);
}

template <std::size_t N>
constexpr Status decode_sandflake32(std::string_view text, Bytes<N> &out) noexcept {
    return Base32<N>::decode(kSandflake32, text, out);
}

}  // namespace snowid::core
