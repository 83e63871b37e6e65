// Times, durations and foreign texts as messages show them; palloc'ed.
#pragma once

#include <string_view>

#include "core/time.hpp"

namespace snowid::pg {

const char *shown_time(core::UnixNanos t);
const char *shown_duration(std::int64_t ns);

// At most so many characters of the text. Other than printable ASCII, it shows the values of bytes.
char *shown_in_ascii(std::string_view text, int characters);

}  // namespace snowid::pg
