#include "core/clock/ticks.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "layout/random_layout.hpp"
#include "random.hpp"

namespace snowid::core {
namespace {

__extension__ using Wide = __int128;

using test::layout_of;

constexpr std::int64_t kFirstNs = std::numeric_limits<std::int64_t>::min(),
                       kLastNs = std::numeric_limits<std::int64_t>::max();

std::int64_t tick_slowly(const Layout &layout, UnixNanos now) {
    const Wide since = static_cast<Wide>(now.value) - static_cast<Wide>(layout.epoch.value) * 1000;
    const Wide tick_ns = static_cast<Wide>(layout.tick_us) * 1000;
    const Wide quotient = since / tick_ns;
    return static_cast<std::int64_t>(since % tick_ns < 0 ? quotient - 1 : quotient);
}

std::int64_t clamp_to_clock(Wide ns) {
    return ns < kFirstNs ? kFirstNs : ns > kLastNs ? kLastNs : static_cast<std::int64_t>(ns);
}

TEST(Ticks, FindsTheTickByFloorDivision) {
    std::mt19937_64 random = test::seeded_random();
    for (const char *epoch : {"1900-01-01", "1969-12-31T23:59:59.999999Z", "1970-01-01", "2024-01-01T00:00:00.000001Z"})
        for (const char *tick : {"1us", "3us", "7us", "999us", "1ms", "4ms", "10ms", "1s", "7s", "61s", "3600s",
                                 "3599999999us", "2147483648us", "1048576us", "16777213us"}) {
            const std::string text = "epoch=" + std::string(epoch) + ",tick=" + tick + ",time=31,sequence=4";
            SCOPED_TRACE(text);
            const Layout layout = layout_of(text);
            const Ticks ticks(layout);
            const auto check = [&](std::int64_t now) { ASSERT_EQ(ticks.at({now}), tick_slowly(layout, {now})) << now; };
            for (const std::int64_t now :
                 {kFirstNs, kFirstNs + 1, std::int64_t{-1}, std::int64_t{0}, kLastNs - 1, kLastNs})
                ASSERT_NO_FATAL_FAILURE(check(now));
            for (int i = 0; i < 10'000; ++i) {
                ASSERT_NO_FATAL_FAILURE(check(static_cast<std::int64_t>(random())));
                const auto number = static_cast<std::int64_t>(random()) >> test::below(random, 64);
                const Wide border =
                    static_cast<Wide>(layout.epoch.value) * 1000 + static_cast<Wide>(number) * layout.tick_us * 1000;
                for (const int off : {-1, 0, 1}) ASSERT_NO_FATAL_FAILURE(check(clamp_to_clock(border + off)));
            }
        }
}

TEST(Ticks, PositionHoldsTickAndSequence) {
    std::mt19937_64 random = test::seeded_random();
    for (int round = 0; round < 5000; ++round) {
        const Layout layout = layout_of(test::random_layout(random).text());
        const Ticks ticks(layout);
        const auto last = static_cast<std::uint64_t>(layout.last_generated_tick());
        const auto tick = static_cast<std::int64_t>(test::up_to(random, last));
        const std::uint64_t sequence = test::up_to(random, layout.sequence().max());
        ASSERT_EQ(ticks.capacity(), layout.sequence().max() + 1);
        ASSERT_EQ(ticks.tick_ns(), layout.tick_us * 1000);
        ASSERT_EQ(ticks.end(), (last + 1) << layout.time().shift);
        const std::uint64_t position = ticks.first(tick) + sequence;
        ASSERT_EQ(position, (static_cast<std::uint64_t>(tick) << layout.time().shift) + sequence);
        ASSERT_EQ(ticks.tick_of(position), tick);
        ASSERT_EQ(ticks.sequence_of(position), sequence);
        ASSERT_LT(position, ticks.end());
    }
}

TEST(Ticks, FirstIsZeroBeforeTheEpochAndEndPastTheLayout) {
    std::mt19937_64 random = test::seeded_random();
    for (int round = 0; round < 5000; ++round) {
        const test::RandomLayout made = test::random_layout(random);
        SCOPED_TRACE(made.text());
        const Layout layout = layout_of(made.text());
        const Ticks ticks(layout);
        for (const std::int64_t tick : {kFirstNs, std::int64_t{-1}, std::int64_t{0}}) ASSERT_EQ(ticks.first(tick), 0u);
        const std::int64_t last = layout.last_generated_tick();
        for (const std::int64_t tick : {last + 1, last + 2, last * 2 + 1, std::int64_t{1} << 60, kLastNs})
            if (tick > last) {
                ASSERT_EQ(ticks.first(tick), ticks.end()) << tick;
            }
    }
}

TEST(Ticks, SkipsSequenceNumbersOutsideTheRange) {
    std::mt19937_64 random = test::seeded_random();
    for (int round = 0; round < 5000; ++round) {
        const Layout layout = layout_of(test::random_layout(random).text());
        const std::uint64_t min = test::up_to(random, layout.sequence().max());
        const SequenceRange range{min, min + test::up_to(random, layout.sequence().max() - min)};
        const Ticks ticks(layout, range);
        const std::int64_t tick = std::min<std::int64_t>(1000, layout.last_generated_tick() - 1);
        const TickWindow window = ticks.window(ticks.start(tick), ticks.end());
        ASSERT_EQ(ticks.capacity(), range.max - range.min + 1);
        ASSERT_EQ(window.first, ticks.first(tick));
        ASSERT_EQ(window.past - window.first, ticks.capacity());
        ASSERT_EQ(ticks.sequence_of(window.first), range.min);
        for (std::uint64_t p : {window.first, window.past - 1}) ASSERT_EQ(ticks.at_or_after(p), p);
        ASSERT_EQ(ticks.at_or_after(window.first - range.min), window.first);
        ASSERT_EQ(ticks.at_or_after(window.past), ticks.first(tick + 1));
    }
}

TEST(Ticks, StartIsTheFirstInstantOfTheTick) {
    std::mt19937_64 random = test::seeded_random();
    for (int round = 0; round < 5000; ++round) {
        const Ticks ticks(layout_of(test::random_layout(random).text()));
        const std::int64_t now = static_cast<std::int64_t>(random()) / 2;
        const std::int64_t tick = ticks.at({now});
        ASSERT_LE(ticks.start(tick).value, now);
        ASSERT_GT(ticks.start(tick).value, now - ticks.tick_ns());
    }
}

}  // namespace
}  // namespace snowid::core
