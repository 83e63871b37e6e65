// What the server counts in shared memory, and a limit for log messages that would flood the log.
#pragma once

#include "pg/prelude.hpp"

extern "C" {
#include "utils/timestamp.h"
}

namespace snowid::server {

struct Counters {
    std::atomic<std::int64_t> issued;
    std::atomic<std::int64_t> skipped;  // positions of stretches that no id used
    std::atomic<std::int64_t> waits;
    std::atomic<std::int64_t> wait_ns;
    std::atomic<std::int64_t> overflows;
    std::atomic<std::int64_t> refusals;
    std::atomic<std::int64_t> horizon_advances;
    std::atomic<std::int64_t> reset_at;  // a TimestampTz
};

inline void reset_counters(Counters &counters) {
    for (auto *counter : {&counters.issued, &counters.skipped, &counters.waits, &counters.wait_ns, &counters.overflows,
                          &counters.refusals, &counters.horizon_advances})
        counter->store(0, std::memory_order_relaxed);
    counters.reset_at.store(GetCurrentTimestamp());
}

struct ClockCounters {
    std::atomic<std::int64_t> regressions;
    std::atomic<std::int64_t> max_regression_ns;
};

inline void count(std::atomic<std::int64_t> &counter, std::int64_t by = 1) noexcept {
    counter.fetch_add(by, std::memory_order_relaxed);
}

template <typename T>
void advance_to(std::atomic<T> &value, T at_least) noexcept {
    T known = value.load(std::memory_order_relaxed);
    while (known < at_least && !value.compare_exchange_weak(known, at_least, std::memory_order_relaxed)) {
    }
}

// Lets one message of a kind through each minute and counts the others.
class LogLimiter {
public:
    // Whether to log now. `held_back` is how many messages were not logged since the last one.
    bool admit(std::int64_t monotonic_ns, std::int64_t &held_back) noexcept {
        constexpr std::int64_t kMinute = 60'000'000'000;
        std::int64_t last = last_.load(std::memory_order_relaxed);
        if ((last != 0 && monotonic_ns - last < kMinute) ||
            !last_.compare_exchange_strong(last, monotonic_ns, std::memory_order_relaxed)) {
            held_back_.fetch_add(1, std::memory_order_relaxed);
            return false;
        }
        held_back = held_back_.exchange(0, std::memory_order_relaxed);
        return true;
    }

private:
    std::atomic<std::int64_t> last_{0};
    std::atomic<std::int64_t> held_back_{0};
};

}  // namespace snowid::server
