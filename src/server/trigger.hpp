// The extension's trigger functions. A trigger function can be put on any table whose owner may execute it, and then
// gets rows of any shape, or none: what is not the extension's own trigger gets an error.
#pragma once

#include "pg/prelude.hpp"

extern "C" {
#include "commands/trigger.h"
}

namespace snowid::server {

enum class TriggerLevel : std::uint8_t { statement, row };

// What the function is called with by the trigger on the extension's table of this name; nullptr: on any of its tables.
const TriggerData &own_trigger(FunctionCallInfo fcinfo, const char *function, TriggerLevel level, const char *table);

}  // namespace snowid::server
