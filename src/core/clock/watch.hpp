// Watches the wall clock against elapsed time, which no one can set: the difference of the two stands still but for a
// slow drift, and a step of the wall clock is a step of the difference.
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
    // The clock is right as it is.
    void set(std::int64_t offset_ns) noexcept {
        believed_.store(offset_ns, std::memory_order_relaxed);
        seen_.store(offset_ns, std::memory_order_relaxed);
    }

    // Something durable has been built on the clock; its later gains are measured from here. While it stands so far
    // back that nothing is, its return is no gain.
    void believe(std::int64_t offset_ns) noexcept { believed_.store(offset_ns, std::memory_order_relaxed); }
    std::int64_t believed_ns() const noexcept { return believed_.load(std::memory_order_relaxed); }

    // `offset_ns` is wall time less elapsed time, just read. A step back is reported to one caller. A leap is reported
    // to all, until it is undone or set() says that it is right.
    ClockReport observe(std::int64_t offset_ns, std::int64_t longest_gain_ns) noexcept {
        if (const std::int64_t gain = offset_ns - believed_ns(); gain > longest_gain_ns) return {ClockStep::leap, gain};
        std::int64_t seen = seen_.load(std::memory_order_relaxed);
        while (!seen_.compare_exchange_weak(seen, offset_ns, std::memory_order_relaxed)) {
        }
        const std::int64_t back = seen - offset_ns;
        return back > kNoticeableNs ? ClockReport{ClockStep::back, back} : ClockReport{ClockStep::none, 0};
    }

private:
    // Less than this between two looks is the clock's being slewed, or the time that reading both clocks takes.
    static constexpr std::int64_t kNoticeableNs = millis(1);

    std::atomic<std::int64_t> believed_{0};
    std::atomic<std::int64_t> seen_{0};
};

}  // namespace snowid::core
