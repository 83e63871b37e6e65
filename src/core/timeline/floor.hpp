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
    UnixNanos named;       // no named generator has made an id of this time or later
    std::uint32_t number;  // the server's; `own` covers all ids that were ever made with it
    std::int64_t lost;     // when WAL was last lost without a new timeline: see history.hpp

    // The server has this number from here on. A named generator may have had it before.
    constexpr void begin_number(std::uint32_t begun) noexcept {
        if (begun == number) return;
        own = merged(own, UsedUp::all_before(named));
        number = begun;
    }

    // Breaks the promise: ids from the instant on may be made again.
    constexpr void rewind(UnixNanos to) noexcept {
        const UnixNanos end{std::max<std::int64_t>(to.value, 0)};
        own.horizon = std::min(own.horizon, end);
        own.safe = std::min(own.safe, UsedUp::all_before(end).safe);
        named = std::min(named, end);
    }

    friend constexpr bool operator==(const Floor &a, const Floor &b) noexcept {
        return a.own == b.own && a.named == b.named && a.number == b.number && a.lost == b.lost;
    }
};

namespace detail {

inline constexpr std::string_view kFloorFields[] = {"own", "safe", "toggles", "named", "number", "lost"};
inline constexpr char kFloorVersion = '1';                                            // the first character
inline constexpr int kFloorDigits = std::numeric_limits<std::int64_t>::digits10 + 1;  // of every field

constexpr std::size_t floor_size() noexcept {
    std::size_t size = 1;
    for (const std::string_view name : kFloorFields) size += 1 + name.size() + 1 + kFloorDigits;
    return size;
}

// Takes digits from the beginning of the text. Returns false if there are too few, or if the number is too large.
constexpr bool take_digits(std::string_view &text, std::int64_t &value) noexcept {
    value = 0;
    for (int i = 0; i < kFloorDigits; ++i, text.remove_prefix(1)) {
        if (text.empty() || text.front() < '0' || text.front() > '9' || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, text.front() - '0', &value))
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

// REQUIRES: no time before 1970.
inline FloorText text_of(const Floor &floor) noexcept {
    const std::int64_t values[] = {
        floor.own.horizon.value, floor.own.safe, static_cast<std::int64_t>(floor.own.toggles),
        floor.named.value,       floor.number,   floor.lost};
    FloorText text;
    text.append([&](Writer &out) {
        out.put(detail::kFloorVersion);
        for (std::size_t i = 0; i < std::size(values); ++i) {
            out.put(' ');
            out.put(detail::kFloorFields[i]);
            out.put(' ');
            out.put_padded(values[i], detail::kFloorDigits);
        }
    });
    return text;
}

// A text that was made before there was the last field goes on without it.
constexpr bool parse_floor(std::string_view text, Floor &floor) noexcept {
    std::int64_t values[std::size(detail::kFloorFields)]{};
    bool ok = detail::take(text, {&detail::kFloorVersion, 1});
    for (std::size_t i = 0; i < std::size(values) && (i + 1 < std::size(values) || !text.empty()); ++i)
        ok = ok && detail::take(text, " ") && detail::take(text, detail::kFloorFields[i]) && detail::take(text, " ") &&
             detail::take_digits(text, values[i]);
    const auto [horizon, safe, toggles, named, number, lost] = values;
    floor = {{{horizon}, safe, static_cast<std::uint64_t>(toggles)}, {named}, static_cast<std::uint32_t>(number), lost};
    return ok && text.empty() && number <= std::numeric_limits<std::uint32_t>::max() && floor.own.is_sound();
}

}  // namespace snowid::core
