// SQL functions for the clock.
#include "pg/clock.hpp"
#include "pg/function.hpp"
#include "server/durable/await_start.hpp"
#include "server/durable/horizon.hpp"
#include "server/shared/shared.hpp"

extern "C" {
#include "utils/timestamp.h"
}

SNOWID_FUNCTION(snowid_clock_accept) {
    snowid::server::await_start();
    snowid::server::shared->clock.set(snowid::pg::clock_offset_ns());
    snowid::server::remember_clock();
    ereport(LOG, (errmsg("snowid: the clock is accepted as it is now, %s", timestamptz_to_str(GetCurrentTimestamp()))));
    PG_RETURN_VOID();
}
