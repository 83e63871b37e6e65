// Turns what the core finds wrong into errors that a user can act on, and shows values as messages do. All texts are
// palloc'ed.
#pragma once

#include "core/layout/layout_text.hpp"
#include "core/status.hpp"
#include "core/time.hpp"
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

// Says in one sentence what is wrong and what would be right.
const char *describe(const core::LayoutError &error);

// Both raise an error if the text is not a layout. The epoch of a new layout must not be in the future; see
// core::parse_new_layout().
core::Layout read_layout(std::string_view text);
core::Layout read_new_layout(std::string_view text);

const char *layout_text(const core::Layout &layout);
const char *layout_hint();  // what to write instead of a text that is not a layout

const char *quoted_user();  // the current role, for a hint that shows a statement
const char *shown_time(core::UnixNanos t);
const char *shown_duration(std::int64_t ns);

// The user's text. A long one is cut off between two characters.
const char *shown(std::string_view text);

// At most this many characters of the text. Bytes that are not printable ASCII are shown by their values.
char *shown_in_ascii(std::string_view text, int characters);

}  // namespace snowid::pg
