// The ids whose time is on one side of an instant. Ids sort by time, so these ids are an interval, and a condition on
// times becomes a condition on ids.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "core/id/snowflake.hpp"
#include "core/id/wide_id.hpp"
#include "core/layout/layout.hpp"
#include "core/status.hpp"
#include "core/time.hpp"

namespace snowid::core {

enum class Side : std::uint8_t { before, until, from, after };  // <, <=, >=, >

constexpr bool is_below(Side side) noexcept { return side == Side::before || side == Side::until; }
// Whether a tick that begins exactly at the instant is below the bound.
constexpr bool takes_instant_below(Side side) noexcept { return side == Side::until || side == Side::after; }

constexpr Status parse(std::string_view text, Side &out) noexcept {
    constexpr std::string_view kNames[] = {"<", "<=", ">=", ">"};
    for (int i = 0; i < 4; ++i) {
        if (text != kNames[i]) continue;
        out = static_cast<Side>(i);
        return Status::ok;
    }
    return Status::bad_character;
}

// From the first to the last, both included. Empty if first > last.
template <typename Id>
struct IdRange {
    Id first;
    Id last;

    friend constexpr IdRange operator&(const IdRange &a, const IdRange &b) noexcept {
        return {std::max(a.first, b.first), std::min(a.last, b.last)};
    }
};

template <WideId Id>
constexpr IdRange<Id> all_ids() noexcept {
    return {all_bits<Id>(false), all_bits<Id>(true)};
}

template <std::same_as<Snowflake> Id>
constexpr IdRange<Id> all_ids() noexcept {
    return {{INT64_MIN}, {INT64_MAX}};
}

template <typename Id>
constexpr IdRange<Id> no_ids() noexcept {
    return {all_ids<Id>().last, all_ids<Id>().first};
}

template <WideId Id>
constexpr IdRange<Id> ids_when(Side side, UnixMicros t) noexcept {
    using Time = typename Id::Time;
    const std::uint64_t below = takes_instant_below(side) ? Time::ticks_until(t) : Time::ticks_before(t);
    IdRange<Id> range = all_ids<Id>();
    if (is_below(side)) {
        if (below == 0) return no_ids<Id>();
        range.last = last_of_tick<Id>(below - 1);
    } else {
        if (below > Time::kLastTick) return no_ids<Id>();
        range.first = first_of_tick<Id>(below);
    }
    return range;
}

// How many non-negative values are below the bound that `side` and t give.
constexpr std::uint64_t snowflakes_below(const Layout &layout, Side side, UnixMicros t) noexcept {
    constexpr std::uint64_t kAll = 1ULL << 63;
    if (t == kAfterAll && takes_instant_below(side)) return kAll;
    const auto last = static_cast<std::uint64_t>(layout.last_generated_tick());
    const std::uint64_t ticks = takes_instant_below(side) ? ticks_until(layout.epoch, layout.tick_us, last, t)
                                                          : ticks_before(layout.epoch, layout.tick_us, last, t);
    return std::min(layout.time().place(ticks), kAll);
}

// For a layout that uses the sign bit, the range is right for non-negative ids, the only ones that are made. Its
// negative ids are always in the range of `<` and `<=`, and never in the range of `>` and `>=`.
constexpr IdRange<Snowflake> ids_when(const Layout &layout, Side side, UnixMicros t) noexcept {
    IdRange<Snowflake> range = all_ids<Snowflake>();
    if (t == kBeforeAll && !takes_instant_below(side)) return is_below(side) ? no_ids<Snowflake>() : range;
    const std::uint64_t below = snowflakes_below(layout, side, t);
    if (is_below(side))
        range.last = {static_cast<std::int64_t>(below - 1)};
    else if (below > static_cast<std::uint64_t>(INT64_MAX))
        range = no_ids<Snowflake>();
    else
        range.first = Snowflake::of_bits(below);
    return range;
}

}  // namespace snowid::core
