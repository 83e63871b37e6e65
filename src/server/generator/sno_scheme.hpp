// The tick-tock bit of snos, as the server changes it.
#pragma once

#include "server/memory/slot.hpp"

namespace snowid::server {

// The clock has stepped back. If it is past the safe unit, ids go on with the other bit. Returns what came of it.
core::SnoToggle toggle(Slot &slot, const core::SnoBounds &bounds, const core::SnoPolicy &policy);

}  // namespace snowid::server
