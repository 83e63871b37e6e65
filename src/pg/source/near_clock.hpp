// The clock as every id reads it: core/clock/near_clock.hpp with the processor's counter: x86's time-stamp counter, or
// the virtual counter of 64-bit ARM. Where none is steady, the clock in nanoseconds serves as the counter.
#pragma once

#include "core/clock/near_clock.hpp"
#include "pg/time.hpp"

namespace snowid::pg {

class Counter {
public:
    std::uint64_t count() const noexcept {
#if defined(__x86_64__)
        if (is_even_) [[likely]]
            return __builtin_ia32_rdtsc();
#elif defined(__aarch64__) && defined(__linux__)
        if (is_even_) [[likely]] {
            std::uint64_t count;
            __asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
            return count;
        }
#endif
        return count_of_clock();
    }
    bool has_even_counter() noexcept {
        if (!is_known_) know();
        return is_even_;
    }
    static core::UnixNanos wall() noexcept { return wall_clock(); }
    static std::int64_t monotonic_ns() noexcept { return pg::monotonic_ns(); }

private:
    static std::uint64_t count_of_clock() noexcept;
    void know() noexcept;

    bool is_known_ = false;
    bool is_even_ = false;
};

using NearClock = core::NearClock<Counter>;

extern NearClock near_clock;

}  // namespace snowid::pg

extern template class snowid::core::NearClock<snowid::pg::Counter>;
