// The numbers that a directory gives out. A number belongs to the directory or to a person, never to both. A named
// generator with one of the directory's numbers makes no ids.
#pragma once

#include "core/fleet/tenure.hpp"
#include "core/function_ref.hpp"
#include "server/memory/slot.hpp"

namespace snowid::server {

// Waits for what the directory says, and wakes the worker that asks it. Returns false after five seconds.
bool await_directory(core::FunctionRef<bool()> has_come);

core::WorkerRange directory_range();  // {0, 0}: there is no directory, or it has not answered yet

bool takes_number_of_directory(const SlotInfo &named);

// Waits until it is known, and raises an error if the generator has such a number, or would make ids of given times by
// the server's.
void require_number_of_person(const SlotInfo &named);

}  // namespace snowid::server
