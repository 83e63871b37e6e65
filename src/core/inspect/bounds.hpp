// The first and the last id of a range of time, as texts, in any format that has a time.
#pragma once

#include <array>
#include <string_view>

#include "core/id/types.hpp"
#include "core/layout/layout.hpp"
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

// The ids whose time is at or after `from` and before `until`, which may be kAfterAll.
BoundFault find_bounds(std::string_view format, const Layout &layout, UnixMicros from, UnixMicros until,
                       Bounds &out) noexcept;

}  // namespace snowid::core
