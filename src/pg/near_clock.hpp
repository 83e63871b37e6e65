// The wall clock at the price of the processor's time-stamp counter: within the millisecond in which the clock was read
// last, the time is worked out from the counter. Towards the millisecond's end it is the clock itself. So the
// millisecond is always the clock's own, and what is below it is near; a clock that is set is followed within a
// millisecond. Where the processor has no counter that goes on evenly, the clock in nanoseconds is the counter.
#pragma once

#include <cstdint>

#include "pg/clock.hpp"

namespace snowid::pg {

// A stretch of the counter.
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

    core::UnixNanos read_clock() noexcept;

    // From the last reading of the clock to an instant of the same millisecond, or to the end of that.
    CountSpan span_until(core::UnixNanos past) const noexcept;

private:
    static constexpr std::int64_t kMarginNs = 1000;  // it is nearer than this
    static constexpr int kShift = 32;
    static constexpr std::uint64_t kOneNs = 1ULL << kShift;

    static std::uint64_t count_of_clock() noexcept;
    void know_counter() noexcept;
    void calibrate() noexcept;
    std::uint64_t counts_until(std::int64_t wall_ns) const noexcept;

    CountSpan span_;            // from when the clock was read,
    std::int64_t wall_ns_ = 0;  // which said this, for as long as the time is worked out
    std::uint64_t ns_per_count_ = 0;
    std::uint64_t first_count_ = 0;  // of the time over which the counter is compared with the clock
    std::int64_t first_ns_ = 0;
    bool is_known_ = false;
    bool has_even_counter_ = false;
};

extern NearClock near_clock;

}  // namespace snowid::pg
