#include "core/alphabet/base32.hpp"

#include <gtest/gtest.h>

#include <string>

namespace snowid::core {
namespace {

constexpr Status read_crockford32(std::string_view text, std::uint64_t high = 0, std::uint64_t low = 0) {
    Bytes<16> bytes{};
    const Status status = decode_crockford32(text, bytes);
    const bool is_right = load_be<8>(bytes.data()) == high && load_be<8>(bytes.data() + 8) == low;
    return status == Status::ok && !is_right ? Status::bad_length : status;
}

// The example from the ULID specification, and the largest ULID.
static_assert(read_crockford32("01ARZ3NDEKTSV4RRFFQ69G5FAV", 0x01563E3AB5D3D676, 0x4C61EFB99302BD5B) == Status::ok);
static_assert(read_crockford32("01arz3ndektsv4rrffq69g5fav", 0x01563E3AB5D3D676, 0x4C61EFB99302BD5B) == Status::ok);
static_assert(read_crockford32("7ZZZZZZZZZZZZZZZZZZZZZZZZZ", ~0ULL, ~0ULL) == Status::ok);
static_assert(read_crockford32("80000000000000000000000000") == Status::out_of_range);

TEST(Crockford32, RefusesTheLettersThatLookLikeDigits) {
    for (const char c : std::string("IiLlOoUu-"))
        EXPECT_EQ(read_crockford32("01ARZ3NDEKTSV4RRFFQ69G5FA" + std::string(1, c)), Status::bad_character) << c;
}

TEST(Crockford32, ReportsABadCharacterBeforeOverflow) {
    EXPECT_EQ(read_crockford32("8000000000000000000000000!"), Status::bad_character);
}

}  // namespace
}  // namespace snowid::core
