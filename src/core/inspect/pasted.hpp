// What people paste around an id: spaces, quotes, brackets, commas, and the forms in which programs print its bytes.
#pragma once

#include <cstddef>
#include <string_view>

namespace snowid::core {

inline constexpr std::size_t kMaxPasted = 48;

// The id in the text: a part of it, or its bytes as hex digits in `room`, or its number in decimal.
// REQUIRES: kMaxPasted characters at `room`.
std::string_view unwrap(std::string_view text, char *room) noexcept;

// An id after the name of what it belongs to, as in usr_0ujtsYcgvSTl8PAuAdqWYSMnLOv. Empty if there is no such name.
std::string_view after_prefix(std::string_view text, std::size_t size) noexcept;

}  // namespace snowid::core
