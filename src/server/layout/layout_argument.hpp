// The layout that a function uses to read a snowflake: its optional last argument, or else the layout recorded in the
// database.
#pragma once

#include "core/layout/layout.hpp"
#include "pg/function.hpp"

namespace snowid::server {

// `n` is the position of the layout argument, if the call has one. A text that stays the same is parsed only once.
const core::Layout &layout_argument(FunctionCallInfo fcinfo, int n);

}  // namespace snowid::server
