// Generators that are in steady use are raised together. Whoever finds its own horizon due raises those of this
// database that are nearly due as well, and its flush is that of all. So a thousand generators cost a few flushes a
// second.
//
// What another backend may issue is learned by that backend alone, from the row: a horizon that is higher than anyone
// asked for is as good as any.
#pragma once

#include "core/time.hpp"
#include "server/memory/slot.hpp"

namespace snowid::server {

// `own` is the slot of a generator that is about to be raised. If it is in steady use and due, raises all that are
// nearly due, and flushes nothing.
void raise_together(const Slot &own, core::UnixNanos now);

}  // namespace snowid::server
