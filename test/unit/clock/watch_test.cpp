#include "core/clock/watch.hpp"

#include <gtest/gtest.h>

#include "layout/random_layout.hpp"
#include "random.hpp"

namespace snowid::core {
namespace {

constexpr std::int64_t kMilli = millis(1), kSecond = kNanosPerSecond, kJump = 600 * kSecond;
constexpr std::int64_t kTrue = 1'767'225'600 * kSecond;

void expect(const ClockReport &report, ClockStep step, std::int64_t by_ns) {
    EXPECT_EQ(static_cast<int>(report.step), static_cast<int>(step));
    EXPECT_EQ(report.by_ns, by_ns);
}

struct Watch : ClockWatch {
    Watch() { set(kTrue); }
    ClockReport at(std::int64_t ahead) { return observe(kTrue + ahead, kJump); }
};

TEST(ClockWatch, ReportsAStepBackOnce) {
    Watch watch;
    expect(watch.at(0), ClockStep::none, 0);
    expect(watch.at(-3 * kSecond), ClockStep::back, 3 * kSecond);
    expect(watch.at(-3 * kSecond), ClockStep::none, 0);
    expect(watch.at(-4 * kSecond), ClockStep::back, kSecond);
    expect(watch.at(-4 * kSecond - kMilli / 2), ClockStep::none, 0);
}

TEST(ClockWatch, ReportsALeapUntilItIsUndoneOrAccepted) {
    Watch watch;
    expect(watch.at(kJump), ClockStep::none, 0);
    expect(watch.at(kJump + 1), ClockStep::leap, kJump + 1);
    expect(watch.at(kJump + 1), ClockStep::leap, kJump + 1);
    expect(watch.at(0), ClockStep::back, kJump);
    expect(watch.at(86'400 * kSecond), ClockStep::leap, 86'400 * kSecond);
    watch.set(kTrue + 86'400 * kSecond);
    expect(watch.at(86'400 * kSecond), ClockStep::none, 0);
    expect(watch.at(0), ClockStep::back, 86'400 * kSecond);
}

TEST(ClockWatch, DoesNotReportALeapWhenTheClockReturnsFromAStepBack) {
    Watch watch;
    expect(watch.at(-3600 * kSecond), ClockStep::back, 3600 * kSecond);
    expect(watch.at(0), ClockStep::none, 0);
    expect(watch.at(-3600 * kSecond), ClockStep::back, 3600 * kSecond);
    watch.believe(kTrue - 3600 * kSecond);  // something was built on it, so the return is now a leap
    expect(watch.at(0), ClockStep::leap, 3600 * kSecond);
}

TEST(ClockWatch, ReportsNoLeapBeforeAnyClockIsBelieved) {
    ClockWatch watch;
    expect(watch.observe(kTrue, kJump), ClockStep::none, 0);
    watch.believe(kTrue);
    expect(watch.observe(kTrue + kJump + 1, kJump), ClockStep::leap, kJump + 1);
}

TEST(ClockWatch, FollowsAnyNumberOfSmallSteps) {
    std::mt19937_64 random = test::seeded_random();
    Watch watch;
    std::int64_t ahead = 0;
    for (int step = 0; step < 100'000; ++step) {
        ahead += static_cast<std::int64_t>(test::below(random, 2 * kMilli));
        ASSERT_EQ(static_cast<int>(watch.at(ahead).step), static_cast<int>(ClockStep::none))
            << "reports a slew as a step";
        watch.believe(kTrue + ahead);
    }
    EXPECT_EQ(watch.believed_ns(), kTrue + ahead);
    for (int step = 0; step < 1000; ++step) {
        ahead -= static_cast<std::int64_t>(test::below(random, kMilli));
        ASSERT_EQ(static_cast<int>(watch.at(ahead).step), static_cast<int>(ClockStep::none));
    }
}

}  // namespace
}  // namespace snowid::core
