// What can go wrong when an id is read or made. The core returns it; src/pg turns it into an SQLSTATE.
#pragma once

#include <cstdint>

namespace snowid::core {

enum class Status : std::uint8_t { ok, bad_length, bad_character, out_of_range };

}  // namespace snowid::core
