// A clock that a test moves, from any thread.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/time.hpp"

namespace snowid::test {

struct HandClock {
    static constexpr std::int64_t kStart = 1'700'000'000'000'000'000;

    std::atomic<std::int64_t> ns{kStart};

    core::UnixNanos operator()() const noexcept { return {ns.load()}; }
    void step(std::int64_t by_ns) noexcept { ns += by_ns; }
};

// Returns the scripted times first, and then reads the clock. So its caller seems to have slept after it had read the
// clock.
template <std::size_t N>
struct SleepyClock {
    const HandClock &clock;
    std::int64_t old_ns[N];
    mutable std::size_t readings = 0;

    core::UnixNanos operator()() const noexcept {
        const std::size_t i = readings++;
        return i < N ? core::UnixNanos{old_ns[i]} : clock();
    }
};

template <std::size_t N>
SleepyClock(const HandClock &, const std::int64_t (&)[N]) -> SleepyClock<N>;

}  // namespace snowid::test
