#include "pg/near_clock.hpp"

#include <algorithm>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace snowid::pg {

constinit NearClock near_clock;

#if defined(__x86_64__)

namespace {

constexpr std::int64_t kMilli = 1'000'000;
// How long the counter must have been seen to go, and for how long what was found holds.
constexpr std::int64_t kCompareNs = 10 * kMilli, kCompareAnewNs = 1000 * kMilli;

// Whether the counter goes on at one pace, whatever the processor does.
bool has_even_counter() noexcept {
    constexpr unsigned kPowerManagement = 0x80000007, kInvariant = 1U << 8;
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid(kPowerManagement, &a, &b, &c, &d) != 0 && (d & kInvariant) != 0;
}

}  // namespace

void NearClock::calibrate(std::uint64_t counter) noexcept {
    const std::int64_t now_ns = monotonic_ns(), since_ns = now_ns - first_ns_;
    if (since_ns >= kCompareNs && since_ns < 2 * kCompareAnewNs && counter > first_counter_) {
        __extension__ using Wide = unsigned __int128;
        ns_per_count_ =
            static_cast<std::uint64_t>((static_cast<Wide>(since_ns) << kShift) / (counter - first_counter_));
    }
    if (since_ns < kCompareAnewNs) return;
    if (first_counter_ == 0) is_even_ = has_even_counter();  // which takes long where a hypervisor answers
    first_counter_ = counter;
    first_ns_ = now_ns;
}

core::UnixNanos NearClock::read_clock() noexcept {
    const std::uint64_t before = __builtin_ia32_rdtsc();
    const core::UnixNanos now = wall_clock();
    counter_ = __builtin_ia32_rdtsc();
    wall_ns_ = now.value;
    span_ = 0;
    calibrate(counter_);
    const std::int64_t left_ns = kMilli - now.value % kMilli - 2 * static_cast<std::int64_t>(kMarginNs);
    constexpr std::uint64_t kTenGigahertz = (1ULL << kShift) / 10;
    if (!is_even_ || ns_per_count_ < kTenGigahertz || ns_per_count_ > 1ULL << kShift) return now;
    if (now.value < 0 || left_ns <= 0) return now;
    if ((counter_ - before) * ns_per_count_ >> kShift > kMarginNs) return now;
    span_ = (static_cast<std::uint64_t>(left_ns) << kShift) / ns_per_count_;
    return now;
}

#endif

}  // namespace snowid::pg
