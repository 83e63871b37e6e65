// Waiting for the start of this incarnation: no id is made before the horizons of all databases have been read.
#pragma once

#include "pg/prelude.hpp"
#include "server/base/worker.hpp"

namespace snowid::server {

// The worker that makes the start, and stays; its work is in start/start.cpp.
BackgroundWorker start_worker();

// A start that has not succeeded after so long will not: there was no room for a worker, or a database can't be read.
inline constexpr std::int64_t kStartTimeoutNs = 5'000'000'000;

// Returns when ids may be generated. Raises an error if that will not come about.
void await_start();

}  // namespace snowid::server
