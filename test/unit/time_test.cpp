#include "core/time.hpp"

#include <gtest/gtest.h>

namespace {

using namespace snowid::core;

static_assert(millis(0) == 0 && millis(5) == 5'000'000 && millis(-1) == -1'000'000);
static_assert(kMicrosPerSecond * kNanosPerMicro == kNanosPerSecond && kMicrosPerMilli * kNanosPerMicro == millis(1));

static_assert(to_micros({1'999}) == UnixMicros{1} && to_micros({2'000}) == UnixMicros{2});
static_assert(to_micros({-1}) == UnixMicros{-1} && to_micros({-1'000}) == UnixMicros{-1});
static_assert(to_micros({-1'001}) == UnixMicros{-2});

static_assert(to_micros(UnixNanos{INT64_MAX}) == kLastInNanos && kLastInNanos.value == 9'223'372'036'854'775);
static_assert(to_nanos(kLastInNanos) > UnixNanos{INT64_MAX - kNanosPerMicro});
static_assert(to_nanos(kFirstInNanos) < UnixNanos{INT64_MIN + kNanosPerMicro});

TEST(Time, KeepsWholeMicrosecondsThroughNanosecondsAndBack) {
    for (const std::int64_t us : {kFirstInNanos.value, std::int64_t{-1}, std::int64_t{0}, std::int64_t{1},
                                  std::int64_t{1'700'000'000'123'456}, kLastInNanos.value})
        EXPECT_EQ(to_micros(to_nanos({us})).value, us);
}

TEST(Time, RoundsAnInstantDownToItsMicrosecond) {
    for (std::int64_t ns = -3'000; ns <= 3'000; ++ns) {
        const UnixMicros t = to_micros({ns});
        ASSERT_LE(to_nanos(t).value, ns);
        ASSERT_GT(to_nanos({t.value + 1}).value, ns);
    }
}

}  // namespace
