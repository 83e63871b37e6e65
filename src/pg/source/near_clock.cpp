#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "pg/source/near_clock.hpp"

template class snowid::core::NearClock<snowid::pg::Counter>;

namespace snowid::pg {

constinit NearClock near_clock;

namespace {

// Whether the counter keeps a constant pace, whatever power state the processor is in.
bool has_constant_pace() noexcept {
#if defined(__x86_64__)
    constexpr unsigned kPowerManagement = 0x80000007, kInvariant = 1U << 8;
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid(kPowerManagement, &a, &b, &c, &d) != 0 && (d & kInvariant) != 0;
#elif defined(__aarch64__) && defined(__linux__)
    return true;  // the architecture says so, and Linux makes its own clock of this counter
#else
    return false;
#endif
}

}  // namespace

std::uint64_t Counter::count_of_clock() noexcept { return static_cast<std::uint64_t>(wall_clock().value); }

void Counter::know() noexcept {
    is_known_ = true;
    is_even_ = has_constant_pace();  // slow if a hypervisor answers
}

}  // namespace snowid::pg
