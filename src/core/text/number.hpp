// A 64-bit number in one of several bases, without leading zeros. The texts differ in length, so they do not sort like
// their numbers.
#pragma once

#include <algorithm>
#include <array>
#include <limits>

#include "core/alphabet/base32.hpp"
#include "core/alphabet/base62.hpp"
#include "core/alphabet/digits.hpp"
#include "core/status.hpp"

namespace snowid::core {

inline constexpr Digits<36> kBase36("0123456789abcdefghijklmnopqrstuvwxyz");
inline constexpr Digits<58> kBase58("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz");  // Bitcoin's
inline constexpr Digits<58> kFlickr58("123456789abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ");
inline constexpr Digits<32> kZBase32("ybndrfg8ejkmcpqxot1uwisza345h769");

enum class NumberBase : std::uint8_t { base62, base58, base36, crockford32, flickr58, zbase32 };

inline constexpr std::array<std::string_view, 6> kNumberBases = {"base62",      "base58",   "base36",
                                                                 "crockford32", "flickr58", "zbase32"};

constexpr bool find_number_base(std::string_view name, NumberBase &out) noexcept {
    const auto *found = std::find(kNumberBases.begin(), kNumberBases.end(), name);
    if (found == kNumberBases.end()) return false;
    out = static_cast<NumberBase>(found - kNumberBases.begin());
    return true;
}

namespace detail {

template <unsigned Base>
constexpr std::size_t most_digits() noexcept {
    std::size_t count = 1;
    for (std::uint64_t rest = std::numeric_limits<std::uint64_t>::max(); rest >= Base; rest /= Base) ++count;
    return count;
}

template <unsigned Base>
constexpr std::size_t format_number(const Digits<Base> &digits, std::uint64_t number, char *out) noexcept {
    constexpr std::size_t kSize = most_digits<Base>();
    char all[kSize]{};
    digits.template put<kSize>(number, all);
    const char *first = std::find_if(all, all + kSize - 1, [&](char c) { return c != digits.zero(); });
    return static_cast<std::size_t>(std::copy(first, static_cast<const char *>(all) + kSize, out) - out);
}

template <unsigned Base>
constexpr Status parse_number(const Digits<Base> &digits, std::string_view text, std::uint64_t &out) noexcept {
    if (text.empty()) return Status::bad_length;
    if (text.size() > 1 && text.front() == digits.zero()) return Status::bad_character;
    unsigned seen = 0;
    bool is_past = false;
    std::uint64_t number = 0;
    for (const char c : text) {
        is_past |= __builtin_mul_overflow(number, std::uint64_t{Base}, &number);
        is_past |= __builtin_add_overflow(number, std::uint64_t{digits.note(c, seen)}, &number);
    }
    if (!digits.all_digits(seen)) return Status::bad_character;
    if (is_past) return Status::out_of_range;
    out = number;
    return Status::ok;
}

template <typename Use>
constexpr auto with_digits(NumberBase base, const Use &use) noexcept {
    switch (base) {
        case NumberBase::base62: break;
        case NumberBase::base58: return use(kBase58);
        case NumberBase::base36: return use(kBase36);
        case NumberBase::crockford32: return use(kCrockford32);
        case NumberBase::flickr58: return use(kFlickr58);
        case NumberBase::zbase32: return use(kZBase32);
    }
    return use(kBase62);
}

}  // namespace detail

inline constexpr std::size_t kMaxNumberSize = detail::most_digits<32>();

// REQUIRES: room for kMaxNumberSize characters at `out`. Returns how many it wrote.
constexpr std::size_t format_number(NumberBase base, std::uint64_t number, char *out) noexcept {
    return detail::with_digits(base, [&](const auto &digits) { return detail::format_number(digits, number, out); });
}

// out_of_range: all characters are digits, but the number needs more than 64 bits.
constexpr Status parse_number(NumberBase base, std::string_view text, std::uint64_t &out) noexcept {
    return detail::with_digits(base, [&](const auto &digits) { return detail::parse_number(digits, text, out); });
}

}  // namespace snowid::core
