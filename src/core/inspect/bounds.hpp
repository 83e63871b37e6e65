// The first and the last id of a time, in any format that has one, as texts.
#pragma once

#include <string_view>

#include "core/layout/layout.hpp"
#include "core/text/writer.hpp"
#include "core/time.hpp"

namespace snowid::core {

using BoundText = FixedText<40>;

enum class BoundFault : std::uint8_t { none, unknown_format, out_of_range };

inline constexpr std::string_view kBoundFormats = "snowflake, uuidv7, ulid, ksuid, objectid, rsxid, sandflake and sno";

// The smallest id whose time is not before t; out_of_range if there is none.
BoundFault lower_bound(std::string_view format, const Layout &layout, UnixMicros t, BoundText &out) noexcept;
// The largest id whose time is before t; likewise.
BoundFault last_before(std::string_view format, const Layout &layout, UnixMicros t, BoundText &out) noexcept;

}  // namespace snowid::core
