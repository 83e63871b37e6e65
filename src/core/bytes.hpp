// Big-endian loads and stores. Ids are stored big-endian, so that memcmp order is time order.
#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

namespace snowid::core {

template <std::size_t N>
using Bytes = std::array<std::uint8_t, N>;

namespace detail {

template <std::size_t N>
using Word = std::conditional_t<N == 8, std::uint64_t, std::conditional_t<N == 4, std::uint32_t, std::uint16_t>>;

constexpr std::uint64_t swap(std::uint64_t v) noexcept { return __builtin_bswap64(v); }
constexpr std::uint32_t swap(std::uint32_t v) noexcept { return __builtin_bswap32(v); }
constexpr std::uint16_t swap(std::uint16_t v) noexcept { return __builtin_bswap16(v); }

constexpr bool kSwaps = std::endian::native == std::endian::little;

// For constant expressions, where several bytes cannot be read as one word.
template <std::size_t... I>
constexpr std::uint64_t load_each(const std::uint8_t *p, std::index_sequence<I...>) noexcept {
    return (... | (std::uint64_t{p[I]} << 8 * (sizeof...(I) - 1 - I)));
}

template <typename Byte, std::size_t... I>
constexpr void store_each(Byte *p, std::uint64_t v, std::index_sequence<I...>) noexcept {
    (..., (p[I] = static_cast<Byte>(v >> 8 * (sizeof...(I) - 1 - I))));
}

}  // namespace detail

template <std::size_t N>
constexpr std::uint64_t load_be(const std::uint8_t *p) noexcept {
    static_assert(N >= 1 && N <= 8);
    constexpr std::size_t kHead = std::bit_floor(N);
    std::uint64_t head = 0;
    if (kHead == 1 || std::is_constant_evaluated()) {
        head = detail::load_each(p, std::make_index_sequence<kHead>());
    } else {
        detail::Word<kHead> word;
        std::memcpy(&word, p, kHead);
        head = detail::kSwaps ? detail::swap(word) : word;
    }
    if constexpr (kHead == N)
        return head;
    else
        return head << 8 * (N - kHead) | load_be<N - kHead>(p + kHead);
}

// Byte is std::uint8_t or char.
template <std::size_t N, typename Byte>
constexpr void store_be(Byte *p, std::uint64_t v) noexcept {
    static_assert(N >= 1 && N <= 8 && sizeof(Byte) == 1);
    constexpr std::size_t kHead = std::bit_floor(N);
    if (kHead == 1 || std::is_constant_evaluated()) {
        detail::store_each(p, v >> 8 * (N - kHead), std::make_index_sequence<kHead>());
    } else {
        const auto word = static_cast<detail::Word<kHead>>(v >> 8 * (N - kHead));
        const auto swapped = detail::kSwaps ? detail::swap(word) : word;
        std::memcpy(p, &swapped, kHead);
    }
    if constexpr (kHead < N) store_be<N - kHead>(p + kHead, v);
}

// Returns Count bytes, starting at position At.
template <std::size_t At, std::size_t Count, std::size_t N>
constexpr Bytes<Count> cut(const Bytes<N> &bytes) noexcept {
    static_assert(At + Count <= N);
    Bytes<Count> part{};
    for (std::size_t i = 0; i < Count; ++i) part[i] = bytes[At + i];
    return part;
}

template <std::size_t At, std::size_t Count, std::size_t N>
constexpr void paste(const Bytes<Count> &part, Bytes<N> &bytes) noexcept {
    static_assert(At + Count <= N);
    for (std::size_t i = 0; i < Count; ++i) bytes[At + i] = part[i];
}

// The order of memcmp, a word at a time.
template <std::size_t N>
constexpr std::strong_ordering compare(const Bytes<N> &a, const Bytes<N> &b) noexcept {
    std::size_t i = 0;
    for (; i + 8 <= N; i += 8) {
        const std::uint64_t x = load_be<8>(a.data() + i), y = load_be<8>(b.data() + i);
        if (x != y) return x <=> y;
    }
    if constexpr (N % 8 == 0)
        return std::strong_ordering::equal;
    else
        return load_be<N % 8>(a.data() + i) <=> load_be<N % 8>(b.data() + i);
}

}  // namespace snowid::core
