#include "core/alphabet/hex.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

namespace snowid::core {
namespace {

TEST(Hex, WritesEveryByteInLowerCase) {
    for (unsigned i = 0; i < 256; ++i) {
        const Bytes<4> bytes{static_cast<std::uint8_t>(i), 0xFF, 0x00, static_cast<std::uint8_t>(255 - i)};
        char text[8], expected[9];
        encode_hex(bytes, text);
        std::snprintf(expected, sizeof expected, "%02xff00%02x", i, 255 - i);
        EXPECT_EQ(std::string(text, 8), expected);
    }
}

TEST(Hex, ReadsBothCasesAndRefusesOtherCharacters) {
    Bytes<8> bytes{};
    EXPECT_EQ(decode_hex("0123456789aBcDeF", bytes), Status::ok);
    EXPECT_EQ(load_be<8>(bytes.data()), 0x0123456789ABCDEFU);
    EXPECT_EQ(decode_hex("0123456789abcdeg", bytes), Status::bad_character);
    EXPECT_EQ(decode_hex("0x23456789abcdef", bytes), Status::bad_character);
    EXPECT_EQ(decode_hex("0123456789abcde", bytes), Status::bad_length);
}

}  // namespace
}  // namespace snowid::core
