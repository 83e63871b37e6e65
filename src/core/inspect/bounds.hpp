// The first and the last id of a range of time, as texts, in any format that has a time.
#pragma once

#include <array>
#include <string_view>

#include "core/id/time_range.hpp"
#include "core/id/types.hpp"
#include "core/layout/layout.hpp"
#include "core/text/uuid_text.hpp"
#include "core/text/writer.hpp"
#include "core/time.hpp"

namespace snowid::core {

enum class BoundFault : std::uint8_t { none, unknown_format, no_ids };

struct Bounds {
    FixedText<40> first;
    FixedText<40> last;
};

template <typename... Ids>
constexpr std::array<std::string_view, 1 + sizeof...(Ids)> bound_formats(IdTypes<Ids...>) noexcept {
    return {"snowflake", Ids::kName...};
}
inline constexpr std::array kBoundFormats = bound_formats(TimedIds{});

namespace detail {

template <typename Id>
BoundFault ends_of(const IdRange<Id> &range, Bounds &out) noexcept {
    char text[kUuidTextSize];
    if (range.first > range.last) return BoundFault::no_ids;
    out.first.append({text, format(range.first, text)});
    out.last.append({text, format(range.last, text)});
    return BoundFault::none;
}

template <typename Id>
BoundFault wide(UnixMicros from, UnixMicros until, Bounds &out) noexcept {
    return ends_of(ids_when<Id>(Side::from, from) & ids_when<Id>(Side::before, until), out);
}

template <typename... Ids>
BoundFault wide(IdTypes<Ids...>, std::string_view format, UnixMicros from, UnixMicros until, Bounds &out) noexcept {
    BoundFault fault = BoundFault::unknown_format;
    (void)((format == Ids::kName && (fault = wide<Ids>(from, until, out), true)) || ...);
    return fault;
}

}  // namespace detail

// The ids whose time is at or after `from` and before `until`, which may be kAfterAll.
inline BoundFault find_bounds(std::string_view format, const Layout &layout, UnixMicros from, UnixMicros until,
                              Bounds &out) noexcept {
    if (format == "snowflake")
        return detail::ends_of(ids_when(layout, Side::from, from) & ids_when(layout, Side::before, until), out);
    return detail::wide(TimedIds{}, format, from, until, out);
}

}  // namespace snowid::core
