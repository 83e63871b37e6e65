// The layout of a database's ids. It is recorded when the extension is created, and each backend reads it once.
#pragma once

#include "core/layout/layout.hpp"

namespace snowid::server {

// Raises an error if there is no usable record.
const core::Layout &recorded_layout();

// The same, or the other layout if there is no record.
const core::Layout &recorded_layout_or(const core::Layout &other);

// Raises an error unless the server makes snowflakes of that layout.
void require_layout_of_server();

}  // namespace snowid::server
