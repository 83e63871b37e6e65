// Turns what the core finds wrong into errors that a user can act on.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/layout/layout_text.hpp"
#include "core/status.hpp"
#include "pg/prelude.hpp"

extern "C" {
#include "datatype/timestamp.h"
}

namespace snowid::pg {

// For an input function. If the context asks for soft errors, this reports one and returns.
void report_input_error(core::Status status, const char *type_name, const char *form, const char *text, Node *context);

// Says in one sentence what is wrong with the text of an id. All ids of the type have texts of the same length, and
// `last` is the text of the last one.
const char *describe_input(core::Status status, const char *text, const char *form, std::string_view last);

[[noreturn]] void raise_binary_length(const char *type_name, int expected, int got);
[[noreturn]] void raise_part_out_of_range(const char *part, std::int64_t value, std::uint64_t max);
[[noreturn]] void raise_part_length(const char *part, int expected, int got);
[[noreturn]] void raise_time_out_of_range(const char *type_name, TimestampTz t, core::UnixMicros first,
                                          core::UnixMicros last);
[[noreturn]] void raise_time_too_late(const char *type_name, TimestampTz t, core::UnixMicros last);

// For a function that writes: raises an error in a read-only transaction.
void require_writable(FunctionCallInfo fcinfo);

// Says in one sentence what is wrong and what would be right; palloc'ed.
const char *describe(const core::LayoutError &error);
const char *describe(const core::WorkerError &error);

const char *quoted_user();  // the current role, for a hint that shows a statement

// The user's text; palloc'ed. A long text is cut off between two characters.
const char *shown(std::string_view text);

const char *layout_text(const core::Layout &layout);  // palloc'ed

}  // namespace snowid::pg
