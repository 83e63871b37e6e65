// Reads layouts from text.
#pragma once

#include <string_view>

#include "core/layout/layout.hpp"
#include "pg/prelude.hpp"

namespace snowid::pg {

// Both raise an error if the text is not a layout. The epoch of a new layout must not be in the future; see
// core::parse_new_layout().
core::Layout read_layout(std::string_view text);
core::Layout read_new_layout(std::string_view text);

// What to write instead of a text that is not a layout.
const char *layout_hint();

}  // namespace snowid::pg
