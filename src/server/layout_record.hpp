// The layout that a database's ids have: recorded in it when the extension was created, and read once by each backend.
#pragma once

#include "core/layout/layout.hpp"

namespace snowid::server {

// Raises an error where there is no usable record.
const core::Layout &recorded_layout();

}  // namespace snowid::server
