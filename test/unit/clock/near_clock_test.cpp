#include "core/clock/near_clock.hpp"

#include <gtest/gtest.h>

#include "random.hpp"

namespace snowid::core {
namespace {

constexpr std::int64_t kStart = 1'767'225'600 * kNanosPerSecond;
constexpr unsigned kNever = 1'000'000'000;

// A machine on which looking at a clock takes time, and somebody else may have the processor meanwhile.
struct Machine {
    std::int64_t clock_takes_ns;
    double counts_per_ns = 2.3;
    unsigned seldom = kNever;  // one look in so many waits for the processor
    std::mt19937_64 random{1};
    bool has_even_counter = true;

    std::int64_t elapsed_ns = 0;
    std::int64_t set_by_ns = 0;
    std::int64_t stopped_ns = 0;  // while it looks at the clock, once
    std::int64_t looks = 0;
    std::int64_t up_ns = millis(100'000);  // at the start

    std::int64_t now() const { return kStart + set_by_ns + elapsed_ns; }
    std::int64_t up_to(std::int64_t ns) {
        return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(ns + 1));
    }
    void wait_for_processor() {
        if (random() % seldom == 0) elapsed_ns += up_to(millis(random() % 2 == 0 ? 8 : 1));
    }
    std::int64_t look(std::int64_t ahead_ns) {
        ++looks;
        const std::int64_t first_ns = up_to(1) * clock_takes_ns;
        elapsed_ns += first_ns;
        wait_for_processor();
        const std::int64_t seen = elapsed_ns + ahead_ns;
        elapsed_ns += clock_takes_ns - first_ns;
        wait_for_processor();
        return seen;
    }
    std::int64_t wall() {
        const std::int64_t seen = look(kStart + set_by_ns);
        elapsed_ns += std::exchange(stopped_ns, 0);
        return seen;
    }
    std::uint64_t count() {
        if (!has_even_counter) return static_cast<std::uint64_t>(wall());
        elapsed_ns += 10;
        return static_cast<std::uint64_t>(static_cast<double>(elapsed_ns + millis(5000)) * counts_per_ns);
    }
};

struct Source {
    Machine *machine;

    std::uint64_t count() const { return machine->count(); }
    UnixNanos wall() const { return {machine->wall()}; }
    std::int64_t monotonic_ns() const { return machine->look(machine->up_ns); }
    bool has_even_counter() const { return machine->has_even_counter; }
};

std::int64_t milli_of(std::int64_t ns) { return ns / kNanosPerMilli; }

// Reads the time again and again, and returns how many times it looked at a clock.
std::int64_t read_for(Machine &machine, NearClock<Source> &clock, std::int64_t ns, std::int64_t pause_ns = 100) {
    const std::int64_t end_ns = machine.elapsed_ns + ns, looks = machine.looks;
    while (machine.elapsed_ns < end_ns && !testing::Test::HasFailure()) {
        const std::int64_t before = machine.now(), read = clock.read().value, after = machine.now();
        EXPECT_GE(milli_of(read), milli_of(before)) << read - before;
        EXPECT_LE(milli_of(read), milli_of(after)) << read - after;
        const UnixNanos past{after + machine.up_to(machine.up_to(1) == 0 ? 2 * pause_ns : millis(2))};
        const CountSpan span = clock.span_until(past);
        machine.elapsed_ns += machine.up_to(pause_ns);
        const std::int64_t later = machine.now();
        if (machine.has_even_counter && span.holds(machine.count())) {
            EXPECT_LT(later, past.value);
            EXPECT_EQ(milli_of(later), milli_of(after));
        }
    }
    return machine.looks - looks;
}

TEST(NearClock, IsInTheClocksMillisecond) {
    std::mt19937_64 random = test::seeded_random();
    for (const std::int64_t takes_ns : {40, 900, 1500, 5000, 20'000, 200'000, 2'000'000}) {
        for (const double pace : {0.005, 0.012, 0.024, 0.1, 1.0, 2.3, 9.5}) {
            for (const unsigned seldom : {50U, 1000U, kNever}) {
                SCOPED_TRACE(testing::Message() << takes_ns << " ns, " << pace << " counts, one in " << seldom);
                Machine machine{takes_ns, pace, seldom, std::mt19937_64(random())};
                NearClock<Source> clock(Source{&machine});
                for (int i = 0; i < 5; ++i) {
                    read_for(machine, clock, millis(30), 1000);
                    machine.elapsed_ns += machine.up_to(millis(400));
                }
                if (HasFailure()) return;
            }
        }
    }
}

TEST(NearClock, IsInTheClocksMillisecondWhenItWasStoppedWhileItLooked) {
    Machine machine{100, 1.0};
    NearClock<Source> clock(Source{&machine});
    read_for(machine, clock, millis(30));
    for (machine.stopped_ns = 1LL << 32; machine.stopped_ns != 0;) clock.read();
    read_for(machine, clock, millis(30));
}

TEST(NearClock, IsInTheClocksMillisecondOnAMachineThatHasJustStarted) {
    Machine machine{100, 0.1};
    machine.up_ns = millis(800);
    NearClock<Source> clock(Source{&machine});
    read_for(machine, clock, millis(30), 1000);
}

TEST(NearClock, LooksAtClocksForASmallPartOfTheTime) {
    for (const double pace : {0.024, 2.3}) {
        for (const std::int64_t takes_ns : {40, 1500, 5000, 20'000}) {
            Machine machine{millis(1), pace};
            NearClock<Source> clock(Source{&machine});
            clock.read();
            machine.clock_takes_ns = takes_ns;  // only the first look was slow
            for (int i = 0; i < 3; ++i) {
                machine.elapsed_ns += millis(100);
                clock.read();
            }
            EXPECT_LE(read_for(machine, clock, millis(100)) * takes_ns, millis(20)) << pace << ", " << takes_ns;
        }
    }
}

TEST(NearClock, FollowsWithinAMillisecondWhenTheClockIsSet) {
    Machine machine{100};
    NearClock<Source> clock(Source{&machine});
    for (const std::int64_t step : {millis(3'600'000), millis(-7'200'000), std::int64_t{1}}) {
        read_for(machine, clock, millis(30));
        machine.set_by_ns += step;
        for (const std::int64_t end_ns = machine.elapsed_ns + millis(1); machine.elapsed_ns < end_ns;) clock.read();
    }
    read_for(machine, clock, millis(30));
}

TEST(NearClock, IsTheClockWhereNoCounterIsEven) {
    Machine machine{1500, 1.0, 1000, test::seeded_random(), false};
    NearClock<Source> clock(Source{&machine});
    read_for(machine, clock, millis(100));
}

}  // namespace
}  // namespace snowid::core
