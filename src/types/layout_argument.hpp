// The layout by which a function reads a snowflake: its optional last argument, or else the database's record.
#pragma once

#include "core/layout/layout.hpp"
#include "pg/function.hpp"

namespace snowid::types {

// `n` is where the layout stands if the call has one. A text is parsed once, not once a call.
const core::Layout &layout_argument(FunctionCallInfo fcinfo, int n);

}  // namespace snowid::types
