// Numbers, in decimal and in other bases: snowflakes, Unix times, and what is neither.
#pragma once

#include "core/inspect/findings.hpp"

namespace snowid::core {

void find_numbers(const Inspected &in, Findings &out) noexcept;

}  // namespace snowid::core
