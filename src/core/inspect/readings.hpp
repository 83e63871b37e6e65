// A number as an id of each layout that has a name, of the user's own layout, and as a Unix time. How many bits it
// takes to say a number in the ways of a layout says how well it fits: low sequence numbers and known workers take few.
#pragma once

#include <array>
#include <bit>

#include "core/inspect/inspect.hpp"
#include "core/layout/layout_text.hpp"

namespace snowid::core {

// In sixteenths of a bit.
inline constexpr int kBit = 16;
constexpr int bits_of(std::uint64_t value) noexcept {
    if (value == 0) return 0;
    const int whole = 63 - std::countl_zero(value);
    const std::uint64_t rest = value - (1ULL << whole);
    return whole * kBit + static_cast<int>(whole >= 4 ? rest >> (whole - 4) : rest << (4 - whole));
}

// Readings that differ by less than this are equally plausible.
inline constexpr int kClear = 6 * kBit;

struct Reading {
    FixedText<32> format;
    Layout layout;               // if it is no Unix time
    std::int64_t unit_ns;        // of a Unix time; 0 if it is none
    std::string_view unit_name;  // of a Unix time
    std::string_view preset;     // whose ways it has; empty if they are not known
    UnixMicros since;            // earlier there were no such ids
    int rarity;                  // in bits

    bool is_unix_time() const noexcept { return unit_ns != 0; }
    UnixMicros time_of(std::uint64_t number) const noexcept;
    // Whether ids of the layout have had such times, up to tomorrow.
    bool fits(std::uint64_t number, UnixMicros now) const noexcept;

    std::uint64_t tick_of(std::uint64_t number) const noexcept {
        return is_unix_time() ? number : layout.time().read(number);
    }
    std::uint64_t life(UnixMicros now) const noexcept;  // in ticks
    int worker_cost(std::uint64_t number) const noexcept;
    int sequence_cost(std::uint64_t number) const noexcept;
    // The cost of one number.
    int cost(std::uint64_t number, UnixMicros now) const noexcept;
};

// Ids of today are what people ask about most, and the last id of a column is mostly recent.
int of_today_bonus(UnixMicros t, UnixMicros now) noexcept;
int recent_bonus(UnixMicros last, UnixMicros now) noexcept;

inline constexpr std::size_t kMaxReadings = std::size(kPresets) + 5;

struct Readings {
    std::array<Reading, kMaxReadings> all;
    std::size_t count;

    explicit Readings(const InspectContext &context) noexcept;  // the own layout first
    const Reading *begin() const noexcept { return all.data(); }
    const Reading *end() const noexcept { return all.data() + count; }
};

// Accepts a snowflake, or an unsigned number of 64 bits.
bool parse_decimal(std::string_view text, std::uint64_t &out) noexcept;

}  // namespace snowid::core
