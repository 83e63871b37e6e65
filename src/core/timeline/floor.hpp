// The floor of a scheme: how far the ids of a server have come in all its databases, and in those that are gone. Its
// text always has the same length, so that it can be overwritten in place.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string_view>

#include "core/text/writer.hpp"
#include "core/timeline/used_up.hpp"

namespace snowid::core {

struct Floor {
    UsedUp own;            // all ids of the server's own generator
    UnixNanos named;       // no named generator with the server's ticks has made an id of this time or later
    UnixNanos others;      // the same of those with other ticks
    std::uint32_t number;  // the server's; `own` covers all ids that were ever made with it
    std::int64_t layout;   // what tells the server's layout from others
    std::int64_t whole;    // 1: no row of any database says more than this; 0: a start must read them
    std::int64_t lost;     // when WAL was last lost without a new timeline: see history.hpp

    // Who has advanced it last: in which boot of the machine, with which clock (wall time minus elapsed time), which
    // server, or 0, and in which history.
    std::int64_t boot, clock, server, history;

    // The server has this number and this layout from here on. A named generator may have had the number before, and
    // with another layout it may have had these bits or these ticks.
    constexpr void begin_number(std::uint32_t begun, std::int64_t of_layout) noexcept {
        if (begun == number && of_layout == layout) return;
        if (of_layout != layout) named = others = std::max(named, others);
        own = merged(own, UsedUp::all_before(named));
        number = begun;
        layout = of_layout;
    }

    UnixNanos &of_named(bool has_ticks_of_server) noexcept { return has_ticks_of_server ? named : others; }

    // Breaks the promise: ids from the instant on may be made again.
    constexpr void rewind(UnixNanos to) noexcept {
        const UnixNanos end{std::max<std::int64_t>(to.value, 0)};
        own.horizon = std::min(own.horizon, end);
        own.safe = std::min(own.safe, UsedUp::all_before(end).safe);
        named = std::min(named, end);
        others = std::min(others, end);
        whole = 0;  // rows of other databases say more
    }

    friend constexpr bool operator==(const Floor &, const Floor &) noexcept = default;
};

namespace detail {

inline constexpr std::string_view kFloorFields[] = {"own",   "safe", "toggles", "named", "others", "number", "layout",
                                                    "whole", "lost", "boot",    "clock", "server", "history"};
inline constexpr char kFloorVersion = '1';                                             // the first character
inline constexpr int kFloorDigits = std::numeric_limits<std::uint64_t>::digits10 + 1;  // of every field

constexpr std::size_t floor_size() noexcept {
    std::size_t size = 1;
    for (const std::string_view name : kFloorFields) size += 1 + name.size() + 1 + kFloorDigits;
    return size;
}

// Takes digits from the beginning of the text. Returns false if there are too few, or if the number is too large.
constexpr bool take_digits(std::string_view &text, std::uint64_t &value) noexcept {
    value = 0;
    for (int i = 0; i < kFloorDigits; ++i, text.remove_prefix(1)) {
        if (text.empty() || text.front() < '0' || text.front() > '9' || __builtin_mul_overflow(value, 10U, &value) ||
            __builtin_add_overflow(value, static_cast<std::uint64_t>(text.front() - '0'), &value))
            return false;
    }
    return true;
}

constexpr bool take(std::string_view &text, std::string_view what) noexcept {
    if (!text.starts_with(what)) return false;
    text.remove_prefix(what.size());
    return true;
}

}  // namespace detail

using FloorText = FixedText<detail::floor_size()>;

inline FloorText text_of(const Floor &floor) noexcept {
    const std::int64_t values[] = {floor.own.horizon.value,
                                   floor.own.safe,
                                   static_cast<std::int64_t>(floor.own.toggles),
                                   floor.named.value,
                                   floor.others.value,
                                   floor.number,
                                   floor.layout,
                                   floor.whole,
                                   floor.lost,
                                   floor.boot,
                                   floor.clock,
                                   floor.server,
                                   floor.history};
    FloorText text;
    text.append([&](Writer &out) {
        out.put(detail::kFloorVersion);
        for (std::size_t i = 0; i < std::size(values); ++i) {
            out.put(' ');
            out.put(detail::kFloorFields[i]);
            out.put(' ');
            out.put_padded(static_cast<std::uint64_t>(values[i]), detail::kFloorDigits);
        }
    });
    return text;
}

constexpr bool parse_floor(std::string_view text, Floor &floor) noexcept {
    std::int64_t values[std::size(detail::kFloorFields)]{};
    bool ok = detail::take(text, {&detail::kFloorVersion, 1});
    for (std::size_t i = 0; i < std::size(values); ++i) {
        std::uint64_t value = 0;
        ok = ok && detail::take(text, " ") && detail::take(text, detail::kFloorFields[i]) && detail::take(text, " ") &&
             detail::take_digits(text, value);
        values[i] = static_cast<std::int64_t>(value);
    }
    const auto [horizon, safe, toggles, named, others, number, layout, whole, lost, boot, clock, server, history] =
        values;
    floor = {{{horizon}, safe, static_cast<std::uint64_t>(toggles)},
             {named},
             {others},
             static_cast<std::uint32_t>(number),
             layout,
             whole,
             lost,
             boot,
             clock,
             server,
             history};
    return ok && text.empty() && number >= 0 && number <= std::numeric_limits<std::uint32_t>::max() && horizon >= 0 &&
           named >= 0 && others >= 0 && floor.own.is_sound();
}

}  // namespace snowid::core
