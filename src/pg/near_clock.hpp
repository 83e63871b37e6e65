// The wall clock for the price of reading the processor's time-stamp counter. The clock itself is read at least once a
// millisecond. Between two readings, the time is computed from the counter, but not close to the end of the
// millisecond. So the millisecond is always that of the clock, and the digits below it are close. When the clock is
// set, this follows within a millisecond. On a processor without a steady counter, the clock in nanoseconds serves as
// the counter.
#pragma once

#include <cstdint>

#include "pg/clock.hpp"

namespace snowid::pg {

// A range of the counter.
struct CountSpan {
    std::uint64_t begin = 0;
    std::uint64_t length = 0;

    constexpr bool holds(std::uint64_t count) const noexcept { return count - begin < length; }
};

class NearClock {
public:
    std::uint64_t count() const noexcept {
#if defined(__x86_64__)
        if (has_even_counter_) [[likely]]
            return __builtin_ia32_rdtsc();
#endif
        return count_of_clock();
    }

    core::UnixNanos read() noexcept {
        const std::uint64_t now = count();
        if (!span_.holds(now)) [[unlikely]]
            return read_clock();
        return {wall_ns_ + static_cast<std::int64_t>((now - span_.begin) * ns_per_count_ >> kShift)};
    }

    // The span from the last reading of the clock to `past`, or to the end of the millisecond if that is earlier.
    CountSpan span_until(core::UnixNanos past) const noexcept;

private:
    static constexpr std::int64_t kMarginNs = 1000;  // a computed time is within this of the clock
    static constexpr int kShift = 32;
    static constexpr std::uint64_t kOneNs = 1ULL << kShift;

    core::UnixNanos read_clock() noexcept;
    static std::uint64_t count_of_clock() noexcept;
    void know_counter() noexcept;
    void calibrate() noexcept;
    std::uint64_t counts_until(std::int64_t wall_ns) const noexcept;

    CountSpan span_;            // begins when the clock was read; while it lasts, the time is computed
    std::int64_t wall_ns_ = 0;  // the clock's time at the start of the span
    std::uint64_t ns_per_count_ = 0;
    std::uint64_t first_count_ = 0;  // the counter and the monotonic clock at the start of the comparison
    std::int64_t first_ns_ = 0;
    bool is_known_ = false;
    bool has_even_counter_ = false;
};

extern NearClock near_clock;

}  // namespace snowid::pg
