// Compares the wall clock with elapsed time, which nobody can set. The difference between them is constant except for
// slow drift, so a step of the wall clock shows as a step of the difference.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/time.hpp"

namespace snowid::core {

enum class ClockStep : std::uint8_t { none, back, leap };

struct ClockReport {
    ClockStep step;
    std::int64_t by_ns;
};

class ClockWatch {
public:
    // Accepts the clock as it is.
    void set(std::int64_t offset_ns) noexcept {
        believed_.store(offset_ns, std::memory_order_relaxed);
        seen_.store(offset_ns, std::memory_order_relaxed);
    }

    // Something durable was just built on the clock, so later gains are measured from here. Nothing is built on a clock
    // that was set back far enough, so its return does not count as a gain.
    void believe(std::int64_t offset_ns) noexcept { believed_.store(offset_ns, std::memory_order_relaxed); }
    std::int64_t believed_ns() const noexcept { return believed_.load(std::memory_order_relaxed); }

    // How much the clock has gained since then, if that is more than it may gain, or else 0.
    std::int64_t leap_ns(std::int64_t offset_ns, std::int64_t longest_gain_ns) const noexcept {
        const std::int64_t believed = believed_ns(), gain = offset_ns - believed;
        return believed != kUnknown && gain > longest_gain_ns ? gain : 0;
    }

    // `offset_ns` is wall time minus elapsed time, just read. A step back is reported to one caller. A leap is reported
    // to every caller until the clock returns or set() accepts it.
    ClockReport observe(std::int64_t offset_ns, std::int64_t longest_gain_ns) noexcept {
        if (const std::int64_t leap = leap_ns(offset_ns, longest_gain_ns); leap != 0) return {ClockStep::leap, leap};
        std::int64_t seen = seen_.load(std::memory_order_relaxed);
        while (!seen_.compare_exchange_weak(seen, offset_ns, std::memory_order_relaxed)) {
        }
        const std::int64_t back = seen - offset_ns;
        return back > kNoticeableNs ? ClockReport{ClockStep::back, back} : ClockReport{ClockStep::none, 0};
    }

private:
    static constexpr std::int64_t kUnknown = 0;  // no clock is believed yet, so none has gained

    // A smaller difference between two readings comes from slewing the clock, or from the time it takes to read both.
    static constexpr std::int64_t kNoticeableNs = millis(1);

    std::atomic<std::int64_t> believed_{0};
    std::atomic<std::int64_t> seen_{0};
};

}  // namespace snowid::core
