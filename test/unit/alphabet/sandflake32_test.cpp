#include "core/alphabet/sandflake32.hpp"

#include <gtest/gtest.h>

namespace snowid::core {
namespace {

constexpr Status read_sandflake32(std::string_view text) {
    Bytes<16> bytes{};
    return decode_sandflake32(text, bytes);
}

static_assert(read_sandflake32("ZZZZZZZZZZZZZZZZZZZZZZZZZW") == Status::ok);  // all bits set, from the left
static_assert(read_sandflake32("ZZZZZZZZZZZZZZZZZZZZZZZZZX") == Status::bad_character);
static_assert(read_sandflake32("ZZZZZZZZZZZZZZZZZZZZZZZZZw") == Status::bad_character);

TEST(Sandflake32, HoldsTheBitsFromTheLeft) {
    Bytes<16> bytes{};
    ASSERT_EQ(decode_sandflake32("40000000000000000000000000", bytes), Status::ok);
    EXPECT_EQ(bytes[0], 0x20);
}

}  // namespace
}  // namespace snowid::core
