// Watches the wall clock against elapsed time, which no one can set: the difference of the two stands still but for a
// slow drift, and a step of the wall clock is a step of the difference. Each step is reported to one caller.
#pragma once

#include <atomic>
#include <cstdint>

namespace snowid::core {

enum class ClockStep : std::uint8_t { none, back, leap };

struct ClockReport {
    ClockStep step;
    std::int64_t by_ns;
};

class ClockWatch {
public:
    void set(std::int64_t offset_ns) noexcept { offset_.store(offset_ns, std::memory_order_relaxed); }
    std::int64_t offset_ns() const noexcept { return offset_.load(std::memory_order_relaxed); }

    // `offset_ns` is wall time less elapsed time, just read. A leap is not believed: it is reported until set() says
    // that it is right, or until the clock is back.
    ClockReport observe(std::int64_t offset_ns, std::int64_t longest_gain_ns) noexcept {
        std::int64_t known = offset_.load(std::memory_order_relaxed);
        for (;;) {
            const std::int64_t gain = offset_ns - known;
            if (gain > longest_gain_ns) return {ClockStep::leap, gain};
            if (!offset_.compare_exchange_weak(known, offset_ns, std::memory_order_relaxed)) continue;
            return gain < -kNoticeableNs ? ClockReport{ClockStep::back, -gain} : ClockReport{ClockStep::none, 0};
        }
    }

private:
    // Less than this between two looks is the clock's being slewed, or the time that reading both clocks takes.
    static constexpr std::int64_t kNoticeableNs = 1'000'000;

    std::atomic<std::int64_t> offset_{0};
};

}  // namespace snowid::core
