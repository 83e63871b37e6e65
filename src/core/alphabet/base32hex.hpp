// The extended hex alphabet of RFC 4648, in lower case only, as rs/xid writes and reads it.
#pragma once

#include "core/alphabet/base32.hpp"

namespace snowid::core {

inline constexpr Digits<32> kBase32Hex("0123456789abcdefghijklmnopqrstuv");

template <std::size_t N>
constexpr void encode_base32hex(const Bytes<N> &bytes, char *out) noexcept {
    Base32<N>::encode(kBase32Hex, bytes, out);
}

template <std::size_t N>
constexpr Status decode_base32hex(std::string_view text, Bytes<N> &out) noexcept {
    return Base32<N>::decode(kBase32Hex, text, out);
}

}  // namespace snowid::core
