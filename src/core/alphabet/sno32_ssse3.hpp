// The base32 of sno in one register of sixteen characters. CPUs have had SSSE3 since 2006, but a binary for every
// x86-64 must ask for it. Each process asks the CPU once. The compiler's builtin for that needs a symbol that
// PostgreSQL's JIT cannot find when it inlines the code.
#pragma once

#include <atomic>

#include "core/bytes.hpp"
#include "core/status.hpp"

#if defined(__x86_64__)

#include <cpuid.h>
#include <tmmintrin.h>

namespace snowid::core {

namespace detail {

enum class Known : std::uint8_t { nothing, no, yes };

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): the CPU does not change
inline constinit std::atomic<Known> known_ssse3{Known::nothing};

inline bool ask_for_ssse3() noexcept {
    unsigned a = 0, b = 0, c = 0, d = 0;
    const bool has = __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_SSSE3) != 0;
    known_ssse3.store(has ? Known::yes : Known::no, std::memory_order_relaxed);
    return has;
}

}  // namespace detail

inline bool has_ssse3() noexcept {
    const detail::Known known = detail::known_ssse3.load(std::memory_order_relaxed);
    if (known == detail::Known::nothing) [[unlikely]]
        return detail::ask_for_ssse3();
    return known == detail::Known::yes;
}

// Two digits are ten bits in two neighbouring bytes. Each of eight lanes gets such a pair of bytes. Each lane needs a
// different shift, so a multiplication does it.
__attribute__((target("ssse3"))) inline void encode_sno32_ssse3(const Bytes<10> &bytes, char *out) noexcept {
    std::uint64_t first = 0, last = 0;
    __builtin_memcpy(&first, bytes.data(), 8);
    __builtin_memcpy(&last, bytes.data() + 2, 8);  // bytes 2 to 9
    const __m128i in = _mm_set_epi64x(static_cast<long long>(last), static_cast<long long>(first));
    const __m128i pairs = _mm_shuffle_epi8(in, _mm_setr_epi8(1, 0, 2, 1, 3, 2, 4, 3, 6, 5, 7, 6, 14, 7, 15, 14));
    const __m128i left = _mm_mullo_epi16(pairs, _mm_setr_epi16(1, 4, 16, 64, 1, 4, 16, 64));
    const __m128i digits =
        _mm_or_si128(_mm_srli_epi16(left, 11), _mm_and_si128(_mm_slli_epi16(left, 2), _mm_set1_epi16(0x1F00)));
    const __m128i is_letter = _mm_cmpgt_epi8(digits, _mm_set1_epi8(7));
    const __m128i text =
        _mm_add_epi8(_mm_add_epi8(digits, _mm_set1_epi8('2')), _mm_and_si128(is_letter, _mm_set1_epi8('a' - '2' - 8)));
    _mm_storeu_si128(reinterpret_cast<__m128i *>(out), text);
}

// REQUIRES: 16 characters.
__attribute__((target("ssse3"))) inline Status decode_sno32_ssse3(const char *in, Bytes<10> &out) noexcept {
    const __m128i text = _mm_loadu_si128(reinterpret_cast<const __m128i *>(in));
    const __m128i is_letter = _mm_cmpgt_epi8(text, _mm_set1_epi8('a' - 1));
    const __m128i base =
        _mm_or_si128(_mm_and_si128(is_letter, _mm_set1_epi8('a')), _mm_andnot_si128(is_letter, _mm_set1_epi8('2')));
    const __m128i count =
        _mm_or_si128(_mm_and_si128(is_letter, _mm_set1_epi8(24)), _mm_andnot_si128(is_letter, _mm_set1_epi8(8)));
    const __m128i from_base = _mm_sub_epi8(text, base);
    const __m128i wrong = _mm_cmpeq_epi8(_mm_max_epu8(from_base, count), from_base);
    if (_mm_movemask_epi8(wrong) != 0) return Status::bad_character;
    const __m128i digits = _mm_add_epi8(from_base, _mm_and_si128(is_letter, _mm_set1_epi8(8)));
    // Joins pairs of digits into ten bits, pairs of those into twenty, and pairs of those into forty.
    const __m128i tens = _mm_maddubs_epi16(digits, _mm_set1_epi16(0x0120));
    const __m128i twenties = _mm_madd_epi16(tens, _mm_set1_epi32(0x0001'0400));
    const __m128i forties = _mm_or_si128(_mm_slli_epi64(_mm_and_si128(twenties, _mm_set1_epi64x(0xFFFFF)), 20),
                                         _mm_srli_epi64(twenties, 32));
    const __m128i bytes =
        _mm_shuffle_epi8(forties, _mm_setr_epi8(4, 3, 2, 1, 0, 12, 11, 10, 9, 8, -1, -1, -1, -1, -1, -1));
    _mm_storel_epi64(reinterpret_cast<__m128i *>(out.data()), bytes);
    const int last = _mm_extract_epi16(bytes, 4);
    __builtin_memcpy(out.data() + 8, &last, 2);
    return Status::ok;
}

}  // namespace snowid::core

#endif
