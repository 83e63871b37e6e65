// Generators in steady use are advanced together. A backend whose own horizon is due also advances those of its
// database that are nearly due, and one flush covers them all. So a thousand generators cost only a few flushes a
// second.
//
// A backend still learns only from the row how far it may go, so it does not matter who advanced the row.
#pragma once

#include "core/time.hpp"
#include "server/shared/slot.hpp"

namespace snowid::server {

// `own` is the slot of a generator that is about to be advanced. If it is in steady use and due, this advances all that
// are nearly due, and flushes nothing.
void advance_together(const Slot &own, core::UnixNanos now);

}  // namespace snowid::server
