// Waiting for the start of this incarnation. No id is made before the horizons of all databases have been read.
#pragma once

#include "pg/prelude.hpp"
#include "server/shared/worker.hpp"

namespace snowid::server {

// The worker that carries out the start and then stays. Its code is in start/start.cpp.
BackgroundWorker start_worker();

// A start that takes longer has failed: there was no room for a worker, or a database cannot be read.
inline constexpr std::int64_t kStartTimeoutNs = 5'000'000'000;

// Returns when ids may be made. Raises an error if that is not going to happen.
void await_start();

}  // namespace snowid::server
