// Base62 of one big number: KSUID's 160 bits as 27 digits, and a sealed id's 131 bits as 22. The number is cut into
// chunks of ten digits. A chunk fits in a word, and no chunk waits for the carry of another.
#pragma once

#include "core/alphabet/digits.hpp"
#include "core/bytes.hpp"
#include "core/status.hpp"

namespace snowid::core {

inline constexpr Digits<62> kBase62("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
inline constexpr std::size_t kBase62Size = 27;

namespace detail {

__extension__ using Wide = unsigned __int128;

inline constexpr std::uint32_t kFiveDigits = 62 * 62 * 62 * 62 * 62;
inline constexpr std::uint64_t kTenDigits = std::uint64_t{kFiveDigits} * kFiveDigits;

constexpr std::uint64_t low_word(Wide value) noexcept { return static_cast<std::uint64_t>(value); }
constexpr std::uint64_t high_word(Wide value) noexcept { return static_cast<std::uint64_t>(value >> 64); }

struct Division {
    std::uint64_t quotient;
    std::uint64_t remainder;
};

// high:low divided by 62^10, as a multiplication by the reciprocal (Moeller and Granlund, "Improved division by
// invariant integers", algorithm 4). The compiler would call a function here. REQUIRES: high < 62^10.
constexpr Division divide_by_ten_digits(std::uint64_t high, std::uint64_t low) noexcept {
    constexpr int kShift = 4;  // moves the divisor's top bit to the top of its word
    constexpr std::uint64_t kDivisor = kTenDigits << kShift;
    constexpr std::uint64_t kReciprocal = low_word(~Wide{0} / kDivisor);
    static_assert(kDivisor >> 63 == 1 && kDivisor >> kShift == kTenDigits);
    // By the bound in the algorithm's proof, this divisor never needs the second correction.
    constexpr std::uint64_t kError = low_word(~Wide{0} % kDivisor) + 1;
    static_assert(high_word(Wide{kDivisor} * kError) + 1 < kDivisor - (0 - kDivisor));

    const std::uint64_t u1 = high << kShift | low >> (64 - kShift), u0 = low << kShift;
    const Wide estimate = Wide{kReciprocal} * u1 + (Wide{u1} << 64 | u0);
    std::uint64_t quotient = high_word(estimate) + 1;
    std::uint64_t remainder = u0 - quotient * kDivisor;
    if (remainder > low_word(estimate)) {
        --quotient;
        remainder += kDivisor;
    }
    return {quotient, remainder >> kShift};
}

// The last 5 + N digits of value. The two halves are computed side by side. REQUIRES: value < 2^32 * 62^5.
template <std::size_t N>
constexpr void put_base62(std::uint64_t value, char *out) noexcept {
    kBase62.put<N>(static_cast<std::uint32_t>(value / kFiveDigits), out);
    kBase62.put<5>(static_cast<std::uint32_t>(value % kFiveDigits), out + N);
}

// The value of ten digits. The two halves do not wait for each other.
constexpr std::uint64_t get_ten_digits(const char *in, unsigned &seen) noexcept {
    return kBase62.get<5>(in, seen) * kFiveDigits + kBase62.get<5>(in + 5, seen);
}

}  // namespace detail

constexpr void encode_base62(const Bytes<20> &bytes, char *out) noexcept {
    const auto high = detail::divide_by_ten_digits(load_be<4>(bytes.data()), load_be<8>(bytes.data() + 4));
    const auto tail = detail::divide_by_ten_digits(high.remainder, load_be<8>(bytes.data() + 12));
    const auto head = detail::divide_by_ten_digits(high.quotient, tail.quotient);
    detail::put_base62<2>(head.quotient, out);
    detail::put_base62<5>(head.remainder, out + 7);
    detail::put_base62<5>(tail.remainder, out + 17);
}

constexpr Status decode_base62(std::string_view text, Bytes<20> &out) noexcept {
    if (text.size() != kBase62Size) return Status::bad_length;
    unsigned seen = 0;
    const std::uint64_t head = kBase62.get<7>(text.data(), seen);
    const std::uint64_t middle = detail::get_ten_digits(text.data() + 7, seen);
    const std::uint64_t tail = detail::get_ten_digits(text.data() + 17, seen);
    if (!kBase62.all_digits(seen)) return Status::bad_character;

    const detail::Wide upper = detail::Wide{head} * detail::kTenDigits + middle;
    const detail::Wide low = detail::Wide{detail::low_word(upper)} * detail::kTenDigits + tail;
    const detail::Wide high = detail::Wide{detail::high_word(upper)} * detail::kTenDigits + detail::high_word(low);
    if (high >> 96 != 0) return Status::out_of_range;
    store_be<4>(out.data(), detail::high_word(high));
    store_be<8>(out.data() + 4, detail::low_word(high));
    store_be<8>(out.data() + 12, detail::low_word(low));
    return Status::ok;
}

// A number of 131 bits: 16 bytes, and above them a number from 0 to 6.
struct Bits131 {
    static constexpr std::size_t kTextSize = 22;
    static constexpr unsigned kMaxTop = 6;  // 62^22 is 7.96 * 2^128

    unsigned top;
    Bytes<16> bytes;
};

constexpr void encode_base62(const Bits131 &number, char *out) noexcept {
    const auto high = detail::divide_by_ten_digits(number.top, load_be<8>(number.bytes.data()));
    const auto tail = detail::divide_by_ten_digits(high.remainder, load_be<8>(number.bytes.data() + 8));
    const auto head = detail::divide_by_ten_digits(high.quotient, tail.quotient);
    kBase62.put<2>(head.quotient, out);
    detail::put_base62<5>(head.remainder, out + 2);
    detail::put_base62<5>(tail.remainder, out + 12);
}

constexpr Status decode_base62(std::string_view text, Bits131 &out) noexcept {
    if (text.size() != Bits131::kTextSize) return Status::bad_length;
    unsigned seen = 0;
    const std::uint64_t head = kBase62.get<2>(text.data(), seen);
    const std::uint64_t middle = detail::get_ten_digits(text.data() + 2, seen);
    const std::uint64_t tail = detail::get_ten_digits(text.data() + 12, seen);
    if (!kBase62.all_digits(seen)) return Status::bad_character;

    const detail::Wide upper = detail::Wide{head} * detail::kTenDigits + middle;
    const detail::Wide low = detail::Wide{detail::low_word(upper)} * detail::kTenDigits + tail;
    const detail::Wide high = detail::Wide{detail::high_word(upper)} * detail::kTenDigits + detail::high_word(low);
    if (detail::high_word(high) > Bits131::kMaxTop) return Status::out_of_range;
    out.top = static_cast<unsigned>(detail::high_word(high));
    store_be<8>(out.bytes.data(), detail::low_word(high));
    store_be<8>(out.bytes.data() + 8, detail::low_word(low));
    return Status::ok;
}

}  // namespace snowid::core
