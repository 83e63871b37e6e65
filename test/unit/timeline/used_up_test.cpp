#include "core/timeline/used_up.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "random.hpp"

namespace snowid::core {
namespace {

constexpr std::int64_t kFirst = INT64_MIN + SnoUnits::kEpochNs, kLastUnit = SnoUnits::kEnd - 1;

TEST(UsedUp, TheNearestSoundStateCoversWhatAGeneratorCanHaveUsed) {
    std::mt19937_64 random = test::seeded_random();
    for (int round = 0; round < 100'000; ++round) {
        const UsedUp any{{static_cast<std::int64_t>(random())}, static_cast<std::int64_t>(random()), random()};
        const UsedUp sound = any.nearest_sound();
        ASSERT_TRUE(sound.is_sound());
        ASSERT_EQ(sound.nearest_sound(), sound);
        ASSERT_EQ(any.is_sound(), sound == any);
        ASSERT_GE(sound.horizon.value, any.horizon.value);
        ASSERT_GE(sound.safe, std::min(any.safe, kLastUnit));
        ASSERT_EQ(sound.toggles % 2, any.toggles % 2);
    }
}

TEST(UsedUp, SoundStatesStayAsTheyAre) {
    for (const std::int64_t horizon : {kFirst, std::int64_t{0}, INT64_MAX})
        for (const std::int64_t safe : {std::int64_t{0}, std::int64_t{1}, kLastUnit})
            for (const std::uint64_t toggles : {0ULL, 1ULL, 1'000'000'000'000'000'000ULL}) {
                const UsedUp state{{horizon}, safe, toggles};
                EXPECT_TRUE(state.is_sound());
                EXPECT_EQ(state.nearest_sound(), state);
            }
    EXPECT_FALSE((UsedUp{{kFirst - 1}, 0, 0}.is_sound()));
    EXPECT_FALSE((UsedUp{{0}, -1, 0}.is_sound()));
    EXPECT_FALSE((UsedUp{{0}, kLastUnit + 1, 0}.is_sound()));
    EXPECT_FALSE((UsedUp{{0}, 0, 1'000'000'000'000'000'002}.is_sound()));
}

}  // namespace
}  // namespace snowid::core
