#include "core/id/sort_key.hpp"

#include <gtest/gtest.h>

#include "ids.hpp"
#include "random.hpp"

namespace snowid::core {
namespace {

template <typename Id>
class SortKeyTest : public testing::Test {};

TYPED_TEST_SUITE(SortKeyTest, test::WideIds);

// Changes about one byte in four: to a random value, to the next value, to 0x00 or to 0xFF.
template <typename Id>
Id mutated(Id id, std::mt19937_64 &random) {
    for (std::uint8_t &byte : id.bytes) {
        const std::uint64_t r = random();
        if (r % 4 == 0) byte = static_cast<std::uint8_t>(r >> 8);
        if (r % 16 == 1) byte = static_cast<std::uint8_t>(byte + 1);
        if (r % 64 == 2) byte = 0xFF;
        if (r % 64 == 3) byte = 0x00;
    }
    return id;
}

TYPED_TEST(SortKeyTest, NeverContradictsTheOrder) {
    std::mt19937_64 random = test::seeded_random();
    for (int i = 0; i < 200'000; ++i) {
        const TypeParam pivot{test::random_bytes<sizeof(TypeParam)>(random)};
        const TypeParam near = mutated(pivot, random);
        const TypeParam a = mutated(near, random), b = mutated(near, random);
        const std::uint64_t x = sort_key(a, pivot), y = sort_key(b, pivot);
        if (x != y) {
            ASSERT_EQ(x < y, a < b) << test::hex(pivot.bytes) << ' ' << test::hex(a.bytes) << ' ' << test::hex(b.bytes);
        }
    }
}

TEST(SortKey, DistinguishesCountersOfOneOrigin) {
    const Bytes<5> origin{1, 2, 3, 4, 5};
    ObjectId pivot{}, a{}, b{};
    compose({1'700'000'000'000'000}, origin, 0, pivot);
    compose({1'700'000'001'000'000}, origin, 0x00FFFF, a);
    compose({1'700'000'001'000'000}, origin, 0x010000, b);
    EXPECT_LT(sort_key(a, pivot), sort_key(b, pivot));
    EXPECT_LT(sort_key(pivot, pivot), sort_key(a, pivot));
}

TEST(SortKey, DistinguishesSequencesOfOneWorker) {
    const Bytes<4> worker{1, 2, 3, 4};
    Sandflake pivot{}, a{}, b{};
    compose({1'700'000'000'000'000}, worker, 0, {}, pivot);
    compose({1'700'000'000'001'000}, worker, 4094, {}, a);
    compose({1'700'000'000'001'000}, worker, 4095, {}, b);
    EXPECT_LT(sort_key(pivot, pivot), sort_key(a, pivot));
    EXPECT_LT(sort_key(a, pivot), sort_key(b, pivot));
}

TEST(SortKey, DistinguishesSequencesOfOnePartitionForEveryMetabyte) {
    const std::uint64_t unit = 100'000'000'000;
    const Sno pivot = sno_of(unit, {7, 500, 0, false});
    for (const std::int64_t metabyte : {0, 7, 255}) {
        const Sno a = sno_of(unit, {metabyte, 500, 8000, true}), b = sno_of(unit, {metabyte, 500, 8001, true});
        EXPECT_LT(sort_key(pivot, pivot), sort_key(a, pivot));
        EXPECT_LT(sort_key(a, pivot), sort_key(b, pivot));
    }
}

}  // namespace
}  // namespace snowid::core
