// The wall clock for the price of reading the processor's counter. The clock itself is read at least once a
// millisecond. Between two readings, the time is computed from the counter, but not close to the end of the
// millisecond. So the millisecond is always that of the clock, and the digits below it are as close as a reading of the
// clock takes. When the clock is set, this follows within a millisecond.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/time.hpp"

namespace snowid::core {

// A range of the counter.
struct CountSpan {
    std::uint64_t begin = 0;
    std::uint64_t length = 0;

    constexpr bool holds(std::uint64_t count) const noexcept { return count - begin < length; }
};

// The source has count(), wall(), monotonic_ns(), and has_even_counter(). If that is false, it counts the nanoseconds
// of the clock.
template <typename Source>
class NearClock {
public:
    constexpr NearClock() noexcept = default;
    constexpr explicit NearClock(Source source) noexcept : source_(source) {}

    std::uint64_t count() const noexcept { return source_.count(); }

    UnixNanos read() noexcept {
        const std::uint64_t now = count();
        if (!span_.holds(now)) [[unlikely]]
            return read_clock();
        return {wall_ns_ + static_cast<std::int64_t>((now - span_.begin) * ns_per_count_ >> kShift)};
    }

    // The span from the last reading of the clock to `past`, or to the end of the millisecond if that is earlier.
    [[gnu::noinline]] CountSpan span_until(UnixNanos past) const noexcept {
        if (span_.length == 0) return {};
        return {span_.begin, std::min(span_.length, counts_until(past.value))};
    }

private:
    // The pace of the counter is computed once the counter has run for kCompareNs, and for kLonger times what it took
    // to look at both, twice. After kCompareAnewNs, the comparison starts over.
    static constexpr std::int64_t kCompareNs = millis(10), kCompareAnewNs = millis(1000);
    static constexpr std::uint64_t kLonger = 2000;

    // The clock may be ahead of a computed time by what the reading took, by what the pace is wrong in a millisecond,
    // and by two counts; and behind it by the pace and one count.
    static constexpr std::int64_t kLeastMarginNs = 1000;
    static constexpr int kShift = 32;
    static constexpr std::uint64_t kOneNs = 1ULL << kShift;
    static constexpr std::uint64_t kTenGigahertz = kOneNs / 10, kTenMegahertz = kOneNs * 100;
    static constexpr std::uint64_t kMilliAtTenGigahertz = kNanosPerMilli * 10;

    [[gnu::noinline]] UnixNanos read_clock() noexcept;
    void calibrate() noexcept;

    std::uint64_t counts_until(std::int64_t wall_ns) const noexcept {
        const std::int64_t left = std::clamp(wall_ns - wall_ns_ - 2 * margin_ns_, std::int64_t{0}, kNanosPerMilli);
        return (static_cast<std::uint64_t>(left) << kShift) / ns_per_count_;
    }

    Source source_{};
    CountSpan span_;            // begins when the clock was read; while it lasts, the time is computed
    std::int64_t wall_ns_ = 0;  // the clock's time at the start of the span
    std::int64_t margin_ns_ = 0;
    std::uint64_t ns_per_count_ = 0;
    std::uint64_t first_count_ = 0;  // the counter and the monotonic clock at the start of the comparison,
    std::int64_t first_ns_ = -2 * kCompareAnewNs;  // so long ago at first that the first look begins another,
    std::uint64_t first_took_ = 0;                 // and how long looking at both took
};

template <typename Source>
UnixNanos NearClock<Source>::read_clock() noexcept {
    const bool has_even_counter = source_.has_even_counter();
    const std::uint64_t before = count();
    const UnixNanos now = source_.wall();
    span_ = {has_even_counter ? count() : static_cast<std::uint64_t>(now.value), 0};
    wall_ns_ = now.value;
    if (has_even_counter)
        calibrate();
    else
        ns_per_count_ = kOneNs;
    if (ns_per_count_ < kTenGigahertz || ns_per_count_ > kTenMegahertz || now.value < 0) return now;
    const std::uint64_t took = std::min(span_.begin - before, kMilliAtTenGigahertz);
    margin_ns_ = std::max(static_cast<std::int64_t>(took * ns_per_count_ >> kShift), kLeastMarginNs);
    span_.length = counts_until(now.value - now.value % kNanosPerMilli + kNanosPerMilli);
    return now;
}

template <typename Source>
void NearClock<Source>::calibrate() noexcept {
    const std::int64_t now_ns = source_.monotonic_ns(), since_ns = now_ns - first_ns_;
    const std::uint64_t now = span_.begin, since = now - first_count_, took = count() - now;
    const bool is_close = now > first_count_ && took + first_took_ < since / kLonger;
    if (is_close && since_ns >= kCompareNs && since_ns < 2 * kCompareAnewNs) {
        __extension__ using Wide = unsigned __int128;
        ns_per_count_ = static_cast<std::uint64_t>((static_cast<Wide>(since_ns) << kShift) / since);
    }
    const bool was_slow = !is_close && took < first_took_ / 2;
    if (since_ns < kCompareAnewNs && !was_slow) return;
    first_count_ = now;
    first_ns_ = now_ns;
    first_took_ = took;
}

}  // namespace snowid::core
