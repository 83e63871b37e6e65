// Big-endian loads and stores: ids are kept in the byte order in which memcmp order is time order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace snowid::core {

template <std::size_t N>
using Bytes = std::array<std::uint8_t, N>;

template <std::size_t N>
constexpr std::uint64_t load_be(const std::uint8_t *p) noexcept {
    static_assert(N <= 8);
    std::uint64_t v = 0;
    for (std::size_t i = 0; i < N; ++i) v = (v << 8) | p[i];
    return v;
}

template <std::size_t N>
constexpr void store_be(std::uint8_t *p, std::uint64_t v) noexcept {
    static_assert(N <= 8);
    for (std::size_t i = N; i-- > 0; v >>= 8) p[i] = static_cast<std::uint8_t>(v);
}

}  // namespace snowid::core
