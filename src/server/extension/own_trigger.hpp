// A guard for the extension's trigger functions. Anybody with EXECUTE on such a function could put it on a table of
// their own, where it would get rows of another shape, or none. Only the extension's own triggers get through.
#pragma once

#include "pg/prelude.hpp"

extern "C" {
#include "commands/trigger.h"
}

namespace snowid::server {

enum class TriggerLevel : std::uint8_t { statement, row };

// What the trigger on the extension's table of this name calls the function with; nullptr stands for any of its tables.
const TriggerData &own_trigger(FunctionCallInfo fcinfo, TriggerLevel level, const char *table);

// What a BEFORE trigger returns for a row that is not to be written.
inline constexpr Datum kNoRow = 0;

}  // namespace snowid::server
