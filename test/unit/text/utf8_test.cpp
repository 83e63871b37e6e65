#include "core/text/json.hpp"

#include <gtest/gtest.h>

#include <string>

namespace snowid::core {
namespace {

std::string encoded(std::uint32_t c) {
    const auto byte = [](std::uint32_t bits) { return static_cast<char>(bits); };
    if (c < 0x80) return {byte(c)};
    if (c < 0x800) return {byte(0xC0 | c >> 6), byte(0x80 | (c & 0x3F))};
    if (c < 0x10000) return {byte(0xE0 | c >> 12), byte(0x80 | (c >> 6 & 0x3F)), byte(0x80 | (c & 0x3F))};
    return {byte(0xF0 | c >> 18), byte(0x80 | (c >> 12 & 0x3F)), byte(0x80 | (c >> 6 & 0x3F)), byte(0x80 | (c & 0x3F))};
}

TEST(Utf8, TakesEveryCharacterAndNoSurrogate) {
    for (std::uint32_t c = 0; c <= 0x10FFFF; ++c) {
        const bool is_surrogate = c >= 0xD800 && c <= 0xDFFF;
        ASSERT_EQ(utf8_size(encoded(c)), is_surrogate ? 0U : encoded(c).size()) << c;
    }
    EXPECT_EQ(utf8_size(encoded(0x110000)), 0U);
}

// Of all texts of up to three bytes, as many are one character as there are characters of that length.
TEST(Utf8, TakesNothingElse) {
    int characters = 0;
    for (std::uint32_t bytes = 0; bytes <= 0xFFFFFF; ++bytes) {
        const char text[] = {static_cast<char>(bytes >> 16), static_cast<char>(bytes >> 8), static_cast<char>(bytes)};
        characters += utf8_size({text, 3}) == 3;
    }
    EXPECT_EQ(characters, 0x10000 - 0x800 - 0x800);
    EXPECT_EQ(utf8_size(""), 0U);
    EXPECT_EQ(utf8_size("\xe2\x82"), 0U);
    EXPECT_EQ(utf8_size("\xf0\x80\x80\x80"), 0U);
    EXPECT_EQ(utf8_size("\xf0\x8f\xbf\xbf"), 0U);
}

}  // namespace
}  // namespace snowid::core
