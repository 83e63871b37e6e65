// The digits of one base. If the alphabet is in ASCII order, texts of the same length sort like their numbers. A codec
// is an alphabet and a way to cut bytes into words.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace snowid::core {

enum class Letters : std::uint8_t { exact, folded };  // folded: either case is accepted on input

// The loops over digits are unrolled in their callers, which know the shifts. In a large unit the compiler would stop
// at some point to do that by itself.
template <unsigned Base>
class Digits {
public:
    consteval explicit Digits(std::string_view alphabet, Letters letters = Letters::exact) noexcept {
        for (std::uint8_t &value : values_) value = kNone;
        for (unsigned i = 0; i < Base; ++i) {
            const char c = digits_[i] = alphabet[i];
            set_value(c, i);
            if (letters == Letters::folded && c > '9') set_value(c ^ ('a' ^ 'A'), i);
        }
    }

    // The last N digits of value. What puts and gets digits is part of its caller, of which a unit has several: only
    // there does the compiler know the alphabet.
    template <std::size_t N, std::unsigned_integral Word>
    constexpr void put(Word value, char *out) const noexcept {
        [&]<std::size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
            if constexpr (std::has_single_bit(Base))  // no digit waits for another one
                (..., (out[I] = digits_[value >> std::countr_zero(Base) * (N - 1 - I) & (Base - 1)]));
            else
                (..., (out[N - 1 - I] = digits_[value % Base], value /= Base));
        }
        (std::make_index_sequence<N>());
    }

    // The value of N digits. After any number of calls, all_digits(seen) says whether all the characters were digits.
    template <std::size_t N>
    constexpr std::uint64_t get(const char *in, unsigned &seen) const noexcept {
        std::uint64_t value = 0;
        [&]<std::size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
            (..., (value = value * Base + note(in[I], seen)));
        }
        (std::make_index_sequence<N>());
        return value;
    }
    static constexpr bool all_digits(unsigned seen) noexcept { return seen < 0x80; }

    // The value of one digit. Works with all_digits() in the same way.
    constexpr std::uint8_t note(char c, unsigned &seen) const noexcept {
        const std::uint8_t value = values_[static_cast<std::uint8_t>(c)];
        seen |= value;
        return value;
    }

    constexpr char zero() const noexcept { return digits_[0]; }

private:
    static constexpr std::uint8_t kNone = 0xFF;  // the top bit is set, as in no digit's value
    static_assert(Base <= 0x80);

    consteval void set_value(int c, unsigned value) noexcept {
        values_[static_cast<std::uint8_t>(c)] = static_cast<std::uint8_t>(value);
    }

    char digits_[Base]{};
    std::uint8_t values_[256]{};
};

}  // namespace snowid::core
