// Numbers, and what looks like one in other letters: snowflakes and Unix times.
#pragma once

#include "core/inspect/findings.hpp"

namespace snowid::core {

void find_numbers(const Inspected &in, Findings &out) noexcept;

}  // namespace snowid::core
