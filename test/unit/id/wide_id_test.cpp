// Laws that hold for every wide id.
#include "core/id/wide_id.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "ids.hpp"
#include "random.hpp"

namespace snowid::core {
namespace {

constexpr int kIds = 5000;

template <typename Id>
class TimedId : public testing::Test {
protected:
    using Time = typename Id::Time;

    static std::uint64_t tick(const Id &id) { return Time::tick_in(id.bytes); }

    // The start of a random tick, half a tick later, or a tick later.
    UnixMicros random_time() {
        const std::int64_t tick_us = Time::time_of(1).value - Time::time_of(0).value;
        const UnixMicros t = Time::time_of(random_() % Time::kLastTick);
        return {t.value + static_cast<std::int64_t>(random_() % 3) * tick_us / 2};
    }

    void expect_bound(UnixMicros t, std::uint64_t expected_tick) {
        Id bound{};
        EXPECT_EQ(lower_bound(t, bound), Status::ok) << t.value;
        EXPECT_EQ(tick(bound), expected_tick) << t.value;
    }

    void expect_no_bound(UnixMicros t) {
        Id bound{};
        EXPECT_EQ(lower_bound(t, bound), Status::out_of_range) << t.value;
    }

    std::mt19937_64 random_ = test::seeded_random();
};

TYPED_TEST_SUITE(TimedId, test::TimedIds);

TYPED_TEST(TimedId, LowerBoundIsInTheFirstTickThatIsNotBefore) {
    for (int i = 0; i < kIds; ++i) {
        const UnixMicros t = this->random_time();
        TypeParam bound{};
        ASSERT_EQ(lower_bound(t, bound), Status::ok) << t.value;
        EXPECT_GE(bound.time(), t);
        const std::uint64_t tick = this->tick(bound);
        if (tick > 0) {
            EXPECT_LT(TypeParam::Time::time_of(tick - 1), t);
        }
    }
}

TYPED_TEST(TimedId, LowerBoundBeforeTheFirstTimeIsTheSmallestId) {
    const UnixMicros first = TypeParam::Time::first();
    this->expect_bound(first, 0);
    this->expect_bound({first.value - 1}, 0);
    this->expect_bound({std::numeric_limits<std::int64_t>::min()}, 0);
    this->expect_bound({first.value + 1}, 1);
}

TYPED_TEST(TimedId, LowerBoundExistsUpToTheLastTime) {
    const UnixMicros last = TypeParam::Time::last();
    const std::uint64_t last_tick = TypeParam::Time::kLastTick;
    this->expect_bound(last, last_tick);
    this->expect_bound({last.value - 1}, last_tick);
    this->expect_no_bound({last.value + 1});
    this->expect_no_bound({std::numeric_limits<std::int64_t>::max()});
}

// So a filter by the bound is a filter by the time.
TYPED_TEST(TimedId, IdsFromTheLowerBoundOnAreThoseNotBeforeTheTime) {
    for (int i = 0; i < kIds; ++i) {
        TypeParam id{test::random_bytes<sizeof(TypeParam)>(this->random_)}, bound{};
        if constexpr (std::is_same_v<TypeParam, Uuid7>)
            id = Uuid7::of(load_be<6>(id.bytes.data()), this->random_() & Uuid7::kMaxRandA, this->random_());
        const UnixMicros t{id.time().value + static_cast<std::int64_t>(this->random_() % 3) - 1};
        if (lower_bound(t, bound) != Status::ok) continue;
        EXPECT_EQ(id >= bound, id.time() >= t) << test::hex(id.bytes) << ' ' << t.value;
    }
}

TYPED_TEST(TimedId, SortsByItsBytes) {
    for (int i = 0; i < kIds; ++i) {
        const TypeParam a{test::random_bytes<sizeof(TypeParam)>(this->random_)};
        TypeParam b = a;
        b.bytes[this->random_() % sizeof b] ^= static_cast<std::uint8_t>(this->random_());
        const int order = std::memcmp(&a, &b, sizeof a);
        EXPECT_EQ(a < b, order < 0);
        EXPECT_EQ(a == b, order == 0);
    }
}

TYPED_TEST(TimedId, SortsLikeItsText) {
    if constexpr (requires { TypeParam::kTextSize; }) {
        for (int i = 0; i < kIds; ++i) {
            const TypeParam a{test::random_bytes<sizeof(TypeParam)>(this->random_)};
            TypeParam b = a;
            b.bytes[this->random_() % sizeof b] ^= static_cast<std::uint8_t>(this->random_());
            EXPECT_EQ(a < b, test::text_of(a) < test::text_of(b));
        }
    }
}

}  // namespace
}  // namespace snowid::core
