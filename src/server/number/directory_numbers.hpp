// The numbers that a directory gives out. A number comes from the directory or from the configuration, never from both.
// A named generator with one of the directory's numbers makes no ids.
#pragma once

#include "core/fleet/tenure.hpp"
#include "core/function_ref.hpp"
#include "server/shared/slot.hpp"

namespace snowid::server {

// Wakes the worker that asks the directory, and waits until `has_come` returns true. Returns false after five seconds.
bool await_directory(core::FunctionRef<bool()> has_come);

core::WorkerRange directory_range();  // {0, 0} if there is no directory, or it has not answered yet

bool takes_number_of_directory(const SlotInfo &named);

// Waits until the directory's numbers are known. Raises an error if the generator has one of them, or if it would make
// ids of given times with the server's number.
void require_configured_number(const SlotInfo &named);

}  // namespace snowid::server
