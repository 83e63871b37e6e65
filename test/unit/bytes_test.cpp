#include "core/bytes.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "ids.hpp"
#include "random.hpp"

namespace snowid::core {
namespace {

constexpr std::uint64_t kBytes = 0x0102030405060708;

template <std::size_t N>
constexpr bool round_trips() {
    std::uint8_t bytes[N + 1] = {};
    store_be<N>(bytes, kBytes);
    const std::uint64_t kept = N == 8 ? kBytes : kBytes & ((1ULL << 8 * N % 64) - 1);
    return load_be<N>(bytes) == kept && bytes[N - 1] == 0x08 && bytes[N] == 0;
}

static_assert(round_trips<1>() && round_trips<2>() && round_trips<3>() && round_trips<4>());
static_assert(round_trips<5>() && round_trips<6>() && round_trips<7>() && round_trips<8>());

template <std::size_t N>
void expect_order_of_memcmp() {
    auto random = test::seeded_random();
    for (int i = 0; i < 5000; ++i) {
        const Bytes<N> a = test::random_bytes<N>(random);
        Bytes<N> b = a;
        EXPECT_TRUE(compare(a, b) == 0);
        b[random() % N] ^= static_cast<std::uint8_t>(1 << random() % 8);
        b[random() % N] ^= static_cast<std::uint8_t>(random());
        const int order = std::memcmp(a.data(), b.data(), N);
        EXPECT_EQ(compare(a, b) < 0, order < 0);
        EXPECT_EQ(compare(a, b) == 0, order == 0);
    }
}

TEST(Bytes, CompareLikeMemcmp) {
    expect_order_of_memcmp<4>();
    expect_order_of_memcmp<8>();
    expect_order_of_memcmp<10>();
    expect_order_of_memcmp<12>();
    expect_order_of_memcmp<16>();
    expect_order_of_memcmp<20>();
}

TEST(Bytes, CutsAndPastesAPart) {
    Bytes<6> bytes{1, 2, 3, 4, 5, 6};
    EXPECT_EQ((cut<2, 3>(bytes)), (Bytes<3>{3, 4, 5}));
    paste<4>(Bytes<2>{8, 9}, bytes);
    EXPECT_EQ(bytes, (Bytes<6>{1, 2, 3, 4, 8, 9}));
}

}  // namespace
}  // namespace snowid::core
