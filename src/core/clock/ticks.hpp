// Ticks map a clock to positions of a timeline. A position is a snowflake without a worker, with its sequence number in
// the lowest bits:
//
//     |  tick, where the layout has its time  |  0  |  sequence  |
//
// Positions of layouts that have the time in the same place can be compared, however the layouts divide the bits below.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/layout/layout.hpp"
#include "core/time.hpp"

namespace snowid::core {

// The positions of one tick, and when the tick ends. Computed once for a burst of ids.
struct TickWindow {
    std::uint64_t first = 0;
    std::uint64_t past = 0;  // the first position that must not be taken in this tick
    UnixNanos end{0};
};

// The sequence numbers of a generator, both ends included.
struct SequenceRange {
    std::uint64_t min;
    std::uint64_t max;

    constexpr std::uint64_t count() const noexcept { return max - min + 1; }
    friend constexpr bool operator==(const SequenceRange &, const SequenceRange &) noexcept = default;
};

// A generator of either scheme has at least this many sequence numbers, unless its layout has fewer.
inline constexpr std::uint64_t kSmallestPool = 4;

class Ticks {
public:
    constexpr Ticks() noexcept = default;
    constexpr explicit Ticks(const Layout &layout) noexcept : Ticks(layout, {0, layout.sequence().max()}) {}
    // REQUIRES: the layout's sequence has room for the numbers, and the range is not empty.
    constexpr Ticks(const Layout &layout, SequenceRange sequences) noexcept
        : epoch_ns_(to_nanos(layout.epoch).value),
          tick_ns_(static_cast<std::uint64_t>(layout.tick_us * kNanosPerMicro)),
          sequences_(sequences),
          shift_(layout.time().shift),
          end_(static_cast<std::uint64_t>(layout.last_generated_tick() + 1) << shift_) {}

    // The tick that holds the instant; negative before the epoch.
    constexpr std::int64_t at(UnixNanos now) const noexcept {
        const std::uint64_t since = static_cast<std::uint64_t>(now.value) - static_cast<std::uint64_t>(epoch_ns_);
        if (now.value < epoch_ns_) [[unlikely]]
            return -1 - static_cast<std::int64_t>((-1 - since) / tick_ns_);
        return static_cast<std::int64_t>(since / tick_ns_);
    }
    // Correct for every tick that begins in the range of UnixNanos.
    constexpr UnixNanos start(std::int64_t tick) const noexcept {
        return {static_cast<std::int64_t>(static_cast<std::uint64_t>(epoch_ns_) +
                                          static_cast<std::uint64_t>(tick) * tick_ns_)};
    }

    // When the tick of a position or an id ends.
    constexpr UnixNanos end_of(std::uint64_t position) const noexcept { return start(tick_of(position) + 1); }

    // 0 before the epoch, end() past the layout's time.
    constexpr std::uint64_t first(std::int64_t tick) const noexcept {
        if (static_cast<std::uint64_t>(tick) >= end_ >> shift_) [[unlikely]]
            return tick < 0 ? 0 : end_;
        return static_cast<std::uint64_t>(tick) << shift_ | sequences_.min;
    }
    // The position itself if its sequence number is in the range, or else the next position with one that is.
    constexpr std::uint64_t at_or_after(std::uint64_t position) const noexcept {
        const std::uint64_t sequence = sequence_of(position);
        if (sequence > sequences_.max) return ((position >> shift_) + 1) << shift_ | sequences_.min;
        return position + (sequence < sequences_.min ? sequences_.min - sequence : 0);
    }
    // The tick that holds the instant, and its positions below the limit. Empty before the epoch.
    constexpr TickWindow window(UnixNanos now, std::uint64_t limit) const noexcept { return window_of(at(now), limit); }
    constexpr TickWindow window_of(std::int64_t tick, std::uint64_t limit) const noexcept {
        if (tick < 0) return {};
        return {first(tick), std::min(first(tick) + capacity(), limit), start(tick + 1)};
    }
    constexpr std::int64_t tick_of(std::uint64_t position) const noexcept {
        return static_cast<std::int64_t>(position >> shift_);
    }
    constexpr std::uint64_t sequence_of(std::uint64_t position) const noexcept {
        return position & ((1ULL << shift_) - 1);
    }

    // The lowest value in the tick. Every id and position of this tick or a later one is at or above it, and every
    // earlier one is below it, whatever their worker and sequence.
    constexpr std::uint64_t floor(std::int64_t tick) const noexcept {
        return static_cast<std::uint64_t>(std::max<std::int64_t>(tick, 0)) << shift_;
    }

    // The distance of positions that are this long apart, rounded up to a tick.
    constexpr std::uint64_t positions_in(std::int64_t ns) const noexcept {
        return (static_cast<std::uint64_t>(ns) / tick_ns_ + 1) << shift_;
    }

    constexpr std::uint64_t capacity() const noexcept { return sequences_.count(); }  // positions in a tick
    constexpr std::uint64_t end() const noexcept { return end_; }  // the first position past the layout's time
    constexpr std::int64_t tick_ns() const noexcept { return static_cast<std::int64_t>(tick_ns_); }

private:
    std::int64_t epoch_ns_ = 0;
    std::uint64_t tick_ns_ = 1;
    SequenceRange sequences_{};
    int shift_ = 0;
    std::uint64_t end_ = 0;
};

}  // namespace snowid::core
