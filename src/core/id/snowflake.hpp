// Snowflake: a 64-bit integer. A Layout says what its bits mean. Stored as a bigint, shown in decimal.
#pragma once

#include <charconv>
#include <cstdint>
#include <string_view>

#include "core/layout/layout.hpp"
#include "core/status.hpp"

namespace snowid::core {

struct Snowflake {
    static constexpr std::string_view kName = "snowflake";
    static constexpr const char *kForm = "A snowflake is written as a whole number of 64 bits, without spaces.";
    static constexpr std::size_t kTextSize = 20;

    std::int64_t value;

    constexpr std::uint64_t bits() const noexcept { return static_cast<std::uint64_t>(value); }
    static constexpr Snowflake of_bits(std::uint64_t bits) noexcept { return {static_cast<std::int64_t>(bits)}; }

    friend constexpr auto operator<=>(const Snowflake &, const Snowflake &) noexcept = default;
};

// Accepts only an integer: no space, no plus sign, no group separator.
inline Status parse(std::string_view text, Snowflake &out) noexcept {
    const char *end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, out.value);
    if (stop != end || text.empty()) return Status::bad_character;
    return error == std::errc{} ? Status::ok : Status::out_of_range;
}

inline std::size_t format(const Snowflake &id, char *out) noexcept {
    return static_cast<std::size_t>(std::to_chars(out, out + Snowflake::kTextSize, id.value).ptr - out);
}

// The smallest id whose time is not before t; out_of_range past the last tick.
constexpr Status lower_bound(const Layout &layout, UnixMicros t, Snowflake &out) noexcept {
    const auto last = static_cast<std::uint64_t>(layout.last_tick());
    const std::uint64_t tick = ticks_before(layout.epoch, layout.tick_us, last, t);
    if (tick > last) return Status::out_of_range;
    out = Snowflake::of_bits(layout.time().place(tick));
    return Status::ok;
}

}  // namespace snowid::core
