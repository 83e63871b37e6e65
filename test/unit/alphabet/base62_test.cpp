#include "core/alphabet/base62.hpp"

#include <gtest/gtest.h>

#include "random.hpp"

namespace snowid::core {
namespace {

constexpr Status read_base62(std::string_view text) {
    Bytes<20> bytes{};
    return decode_base62(text, bytes);
}

static_assert(read_base62("aWgEPTl1tmebfsQzFP4bxwgy80V") == Status::ok);  // the largest number of 160 bits
static_assert(read_base62("aWgEPTl1tmebfsQzFP4bxwgy80W") == Status::out_of_range);
static_assert(read_base62("zzzzzzzzzzzzzzzzzzzzzzzzzzz") == Status::out_of_range);
static_assert(read_base62("zzzzzzzzzzzzzzzzzzzzzzzzzz~") == Status::bad_character);

void expect_division(std::uint64_t high, std::uint64_t low) {
    const detail::Wide number = detail::Wide{high} << 64 | low;
    const detail::Division division = detail::divide_by_ten_digits(high, low);
    EXPECT_EQ(division.quotient, detail::low_word(number / detail::kTenDigits)) << high << ' ' << low;
    EXPECT_EQ(division.remainder, detail::low_word(number % detail::kTenDigits)) << high << ' ' << low;
}

TEST(Base62, DividesLikeTheCompiler) {
    auto random = test::seeded_random();
    for (int i = 0; i < 200000; ++i) expect_division(random() % detail::kTenDigits, random());
}

TEST(Base62, DividesCorrectlyAroundMultiples) {
    auto random = test::seeded_random();
    for (int i = 0; i < 200000; ++i) {
        const detail::Wide multiple = detail::Wide{random() >> random() % 64} * detail::kTenDigits;
        for (const int offset : {-1, 0, 1}) {
            const detail::Wide number = multiple + static_cast<detail::Wide>(offset);
            if (detail::high_word(number) >= detail::kTenDigits) continue;
            expect_division(detail::high_word(number), detail::low_word(number));
        }
    }
}

}  // namespace
}  // namespace snowid::core
