#include "pg/near_clock.hpp"

#include <algorithm>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace snowid::pg {

constinit NearClock near_clock;

namespace {

// The pace of the counter is computed once the counter has run for kCompareNs. After kCompareAnewNs, the comparison
// starts over.
constexpr std::int64_t kCompareNs = core::millis(10), kCompareAnewNs = core::millis(1000);

// Whether the counter keeps a constant pace, whatever power state the processor is in.
bool has_even_counter() noexcept {
#if defined(__x86_64__)
    constexpr unsigned kPowerManagement = 0x80000007, kInvariant = 1U << 8;
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid(kPowerManagement, &a, &b, &c, &d) != 0 && (d & kInvariant) != 0;
#else
    return false;
#endif
}

}  // namespace

core::UnixNanos NearClock::read_clock() noexcept {
    if (!is_known_) know_counter();
    const std::uint64_t before = count();
    const core::UnixNanos now = wall_clock();
    span_ = {has_even_counter_ ? count() : static_cast<std::uint64_t>(now.value), 0};
    wall_ns_ = now.value;
    if (has_even_counter_) calibrate();
    constexpr std::uint64_t kTenGigahertz = kOneNs / 10;
    if (ns_per_count_ < kTenGigahertz || ns_per_count_ > kOneNs || now.value < 0) return now;
    if ((span_.begin - before) * ns_per_count_ >> kShift > kMarginNs) return now;
    span_.length = counts_until(now.value - now.value % core::kNanosPerMilli + core::kNanosPerMilli);
    return now;
}

std::uint64_t NearClock::count_of_clock() noexcept { return static_cast<std::uint64_t>(wall_clock().value); }

CountSpan NearClock::span_until(core::UnixNanos past) const noexcept {
    if (span_.length == 0) return {};
    return {span_.begin, std::min(span_.length, counts_until(past.value))};
}

void NearClock::know_counter() noexcept {
    is_known_ = true;
    has_even_counter_ = has_even_counter();  // slow if a hypervisor answers
    if (!has_even_counter_) ns_per_count_ = kOneNs;
}

void NearClock::calibrate() noexcept {
    const std::int64_t now_ns = monotonic_ns(), since_ns = now_ns - first_ns_;
    const std::uint64_t now = span_.begin;
    if (since_ns >= kCompareNs && since_ns < 2 * kCompareAnewNs && now > first_count_) {
        __extension__ using Wide = unsigned __int128;
        ns_per_count_ = static_cast<std::uint64_t>((static_cast<Wide>(since_ns) << kShift) / (now - first_count_));
    }
    if (since_ns < kCompareAnewNs) return;
    first_count_ = now;
    first_ns_ = now_ns;
}

std::uint64_t NearClock::counts_until(std::int64_t wall_ns) const noexcept {
    const std::int64_t left = std::clamp(wall_ns - wall_ns_ - 2 * kMarginNs, std::int64_t{0}, core::kNanosPerMilli);
    return (static_cast<std::uint64_t>(left) << kShift) / ns_per_count_;
}

}  // namespace snowid::pg
