// The time at the head of a wide id: an unsigned big-endian count of ticks since an epoch, so that byte order is time
// order. The last kOtherBits of the field belong to another part; writing the time sets them to zero.
#pragma once

#include "core/bytes.hpp"
#include "core/status.hpp"
#include "core/time.hpp"

namespace snowid::core {

template <std::size_t Size, std::int64_t kTickUs, std::int64_t kEpochUs = 0, int kOtherBits = 0>
struct TimeField {
    static constexpr std::uint64_t kLastTick = (1ULL << (8 * Size - kOtherBits)) - 1;

    static constexpr UnixMicros time_of(std::uint64_t tick) noexcept {
        return {kEpochUs + static_cast<std::int64_t>(tick) * kTickUs};
    }
    static constexpr UnixMicros first() noexcept { return time_of(0); }
    static constexpr UnixMicros last() noexcept { return time_of(kLastTick); }

    // The tick that holds t; out_of_range before the first and after the last.
    static constexpr Status tick_of(UnixMicros t, std::uint64_t &tick) noexcept {
        if (t < first() || t > last()) return Status::out_of_range;
        tick = static_cast<std::uint64_t>((t.value - kEpochUs) / kTickUs);
        return Status::ok;
    }

    static constexpr std::uint64_t ticks_before(UnixMicros t) noexcept {
        return core::ticks_before(first(), kTickUs, kLastTick, t);
    }
    static constexpr std::uint64_t ticks_until(UnixMicros t) noexcept {
        return core::ticks_until(first(), kTickUs, kLastTick, t);
    }

    template <std::size_t N>
    static constexpr std::uint64_t tick_in(const Bytes<N> &bytes) noexcept {
        return load_be<Size>(bytes.data()) >> kOtherBits;
    }
    template <std::size_t N>
    static constexpr UnixMicros read(const Bytes<N> &bytes) noexcept {
        return time_of(tick_in(bytes));
    }
    template <std::size_t N>
    static constexpr void write(std::uint64_t tick, Bytes<N> &bytes) noexcept {
        store_be<Size>(bytes.data(), tick << kOtherBits);
    }
};

using MillisField = TimeField<6, kMicrosPerMilli>;
using SecondsField = TimeField<4, kMicrosPerSecond>;

}  // namespace snowid::core
