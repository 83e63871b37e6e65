// Times, durations and text from outside, as messages show them; palloc'ed.
#pragma once

#include <string_view>

#include "core/time.hpp"

namespace snowid::pg {

const char *shown_time(core::UnixNanos t);
const char *shown_duration(std::int64_t ns);

// At most this many characters of the text. Bytes that are not printable ASCII are shown by their values.
char *shown_in_ascii(std::string_view text, int characters);

}  // namespace snowid::pg
