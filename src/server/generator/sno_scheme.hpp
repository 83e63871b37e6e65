// The tick-tock bit of snos, as the server changes it.
#pragma once

#include "server/shared/slot.hpp"

namespace snowid::server {

// Called when the clock has stepped back. If it is past the safe unit, ids continue with the other bit. Returns the
// outcome.
core::SnoToggle toggle(Slot &slot, const core::SnoBounds &bounds, const core::SnoPolicy &policy);

}  // namespace snowid::server
