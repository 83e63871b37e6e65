// The wall clock at the price of the processor's time-stamp counter: within the millisecond in which the clock was read
// last, the time is worked out from the counter. Towards the millisecond's end, and where the processor's counter does
// not go on evenly, it is the clock itself. So the millisecond is always the clock's own, and what is below it is near;
// a clock that is set is followed within a millisecond.
#pragma once

#include <cstdint>

#include "pg/clock.hpp"

namespace snowid::pg {

class NearClock {
public:
    static constexpr std::uint64_t kMarginNs = 1000;  // it is nearer than this

    core::UnixNanos read() noexcept {
#if defined(__x86_64__)
        const std::uint64_t since = __builtin_ia32_rdtsc() - counter_;
        if (since < span_) [[likely]]
            return {wall_ns_ + static_cast<std::int64_t>(since * ns_per_count_ >> kShift)};
        return read_clock();
#else
        return wall_clock();
#endif
    }

private:
    static constexpr int kShift = 32;

    core::UnixNanos read_clock() noexcept;
    void calibrate(std::uint64_t counter) noexcept;

    std::uint64_t counter_ = 0;  // when the clock was read,
    std::int64_t wall_ns_ = 0;   // which said this
    std::uint64_t span_ = 0;     // counts from then on in which the time is worked out
    std::uint64_t ns_per_count_ = 0;
    std::uint64_t first_counter_ = 0;  // of the time over which the counter is compared with the clock
    std::int64_t first_ns_ = 0;
    bool is_even_ = false;
};

extern NearClock near_clock;

}  // namespace snowid::pg
