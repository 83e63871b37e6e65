// A guard for the extension's trigger functions. Anyone with EXECUTE on such a function could put it on a table of
// their own, and then it would get rows of another shape, or none. Only the extension's own triggers get through.
#pragma once

#include "pg/prelude.hpp"

extern "C" {
#include "commands/trigger.h"
}

namespace snowid::server {

enum class TriggerKind : std::uint8_t { statement, before_row, before_insert, after_insert };

// The data that the function gets from a trigger of this kind on the extension's table of this name; nullptr means any
// of its tables.
const TriggerData &own_trigger(FunctionCallInfo fcinfo, TriggerKind kind, const char *table);

// Whether this process applies what another server sends by logical replication. Such a process is a worker of a
// subscription, for changes or for the first copy of a table, or a session that has been given a replication origin.
// CREATE EXTENSION in such a session does not count.
bool is_replicated();

// A BEFORE trigger returns this for a row that must not be written.
inline constexpr Datum kNoRow = 0;

}  // namespace snowid::server
