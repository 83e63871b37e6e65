#include "core/alphabet/base32.hpp"

#include <gtest/gtest.h>

#include <string>

namespace snowid::core {
namespace {

template <std::size_t N>
std::string encoded(const Bytes<N> &bytes) {
    std::string text(Base32<N>::kTextSize, '#');
    Base32<N>::encode(kBase32Hex, bytes, text.data());
    return text;
}

// RFC 4648 section 10, in lower case and without padding.
TEST(Base32Hex, WritesTheExamplesOfTheRfc) {
    EXPECT_EQ(encoded(Bytes<1>{'f'}), "co");
    EXPECT_EQ(encoded(Bytes<2>{'f', 'o'}), "cpng");
    EXPECT_EQ(encoded(Bytes<3>{'f', 'o', 'o'}), "cpnmu");
    EXPECT_EQ(encoded(Bytes<4>{'f', 'o', 'o', 'b'}), "cpnmuog");
    EXPECT_EQ(encoded(Bytes<5>{'f', 'o', 'o', 'b', 'a'}), "cpnmuoj1");
    EXPECT_EQ(encoded(Bytes<6>{'f', 'o', 'o', 'b', 'a', 'r'}), "cpnmuoj1e8");
}

TEST(Base32Hex, RefusesALastDigitWithUnusedBitsSet) {
    Bytes<12> bytes{};
    EXPECT_EQ(Base32<12>::decode(kBase32Hex, "9m4e2mr0ui3e8a215n4g", bytes), Status::ok);
    EXPECT_EQ(Base32<12>::decode(kBase32Hex, "9m4e2mr0ui3e8a215n4h", bytes), Status::bad_character);
    EXPECT_EQ(Base32<12>::decode(kBase32Hex, "9M4E2MR0UI3E8A215N4G", bytes), Status::bad_character);
}

constexpr Status read_sandflake32(std::string_view text) {
    Bytes<16> bytes{};
    return Base32<16>::decode(kSandflake32, text, bytes);
}

static_assert(read_sandflake32("ZZZZZZZZZZZZZZZZZZZZZZZZZW") == Status::ok);  // all bits set, from the left
static_assert(read_sandflake32("ZZZZZZZZZZZZZZZZZZZZZZZZZX") == Status::bad_character);
static_assert(read_sandflake32("ZZZZZZZZZZZZZZZZZZZZZZZZZw") == Status::bad_character);

TEST(Sandflake32, HoldsTheBitsFromTheLeft) {
    Bytes<16> bytes{};
    ASSERT_EQ(Base32<16>::decode(kSandflake32, "40000000000000000000000000", bytes), Status::ok);
    EXPECT_EQ(bytes[0], 0x20);
}

}  // namespace
}  // namespace snowid::core
