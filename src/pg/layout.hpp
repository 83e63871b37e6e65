// Layouts from text.
#pragma once

#include <string_view>

#include "core/layout/layout.hpp"
#include "pg/prelude.hpp"

namespace snowid::pg {

// An error where the text says no layout. One that is being chosen must have begun: see core::parse_new_layout().
core::Layout read_layout(std::string_view text);
core::Layout read_new_layout(std::string_view text);

}  // namespace snowid::pg
