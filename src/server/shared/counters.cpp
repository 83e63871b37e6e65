#include "server/shared/counters.hpp"

#include "pg/prelude.hpp"

extern "C" {
#include "utils/timestamp.h"
}

namespace snowid::server {

void reset_counters(Counters &counters) {
    for (auto *counter : {&counters.issued, &counters.skipped, &counters.waits, &counters.wait_ns, &counters.overflows,
                          &counters.refusals, &counters.horizon_advances})
        counter->store(0, std::memory_order_relaxed);
    counters.reset_at.store(GetCurrentTimestamp());
}

}  // namespace snowid::server
