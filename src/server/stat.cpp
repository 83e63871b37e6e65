#include "server/stat.hpp"

#include "core/gen/ticks.hpp"
#include "pg/clock.hpp"
#include "pg/compat.hpp"
#include "pg/error.hpp"
#include "pg/function.hpp"
#include "pg/time.hpp"
#include "server/generator.hpp"
#include "server/horizon.hpp"
#include "server/settings.hpp"
#include "server/shmem.hpp"
#include "server/start.hpp"

extern "C" {
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"
}

namespace snowid::server {
namespace {

Datum interval_of_ns(std::int64_t ns) {
    auto *interval = static_cast<Interval *>(palloc0(sizeof(Interval)));
    interval->time = ns / 1000;
    return IntervalPGetDatum(interval);
}

Datum time_of_ns(std::int64_t ns) { return TimestampTzGetDatum(pg::to_timestamptz({ns / 1000})); }

Datum default_generator_row(TupleDesc row) {
    const core::Layout &layout = settings.layout;
    const core::Ticks ticks(layout);
    const Counters &counters = shared->counters;
    const std::int64_t last_ns = ticks.start(ticks.tick_of(shared->timeline.last())).value;
    const std::int64_t ahead_ns = std::max<std::int64_t>(last_ns - pg::wall_clock().value, 0);
    const std::uint64_t worker_bits = shared->worker_bits.load(std::memory_order_relaxed);
    HorizonRow horizon{};
    const bool has_horizon = read_horizon(kDefaultGenerator, horizon);
    Datum values[] = {
        CStringGetTextDatum("default"),
        CStringGetTextDatum("snowflake"),
        CStringGetTextDatum(pg::layout_text(layout)),
        Int32GetDatum(layout.worker(worker_bits)),
        Int64GetDatum(counters.issued.load()),
        Int64GetDatum(counters.waits.load()),
        interval_of_ns(counters.wait_ns.load()),
        Int64GetDatum(counters.overflows.load()),
        Int64GetDatum(counters.clock_regressions.load()),
        interval_of_ns(counters.max_regression_ns.load()),
        Int64GetDatum(counters.refusals.load()),
        interval_of_ns(ahead_ns),
        time_of_ns(last_ns),
        time_of_ns(horizon.horizon_ns),
        Int64GetDatum(counters.horizon_advances.load()),
        TimestampTzGetDatum(pg::to_timestamptz(layout.last_generated_time())),
        TimestampTzGetDatum(counters.reset_at.load()),
    };
    bool nulls[std::size(values)] = {};
    nulls[12] = shared->timeline.last() == 0;
    nulls[13] = !has_horizon;
    return HeapTupleGetDatum(heap_form_tuple(row, values, nulls));
}

}  // namespace
}  // namespace snowid::server

using namespace snowid::server;

SNOWID_FUNCTION(snowid_stat) {
    if (SRF_IS_FIRSTCALL()) {
        FuncCallContext *call = SRF_FIRSTCALL_INIT();
        MemoryContext caller = MemoryContextSwitchTo(call->multi_call_memory_ctx);
        if (get_call_result_type(fcinfo, nullptr, &call->tuple_desc) != TYPEFUNC_COMPOSITE)
            elog(ERROR, "snowid_stat returns no row");
        call->tuple_desc = BlessTupleDesc(call->tuple_desc);
        call->max_calls = shared == nullptr ? 0 : 1;
        MemoryContextSwitchTo(caller);
        if (shared != nullptr) generator.count_issued();
    }
    FuncCallContext *call = SRF_PERCALL_SETUP();
    if (call->call_cntr == call->max_calls) SRF_RETURN_DONE(call);
    const Datum row = default_generator_row(call->tuple_desc);
    SRF_RETURN_NEXT(call, row);
}

SNOWID_FUNCTION(snowid_stat_reset) {
    await_start();
    Counters &counters = shared->counters;
    generator.count_issued();
    for (auto *counter :
         {&counters.issued, &counters.waits, &counters.wait_ns, &counters.overflows, &counters.clock_regressions,
          &counters.max_regression_ns, &counters.refusals, &counters.horizon_advances})
        counter->store(0, std::memory_order_relaxed);
    counters.reset_at.store(GetCurrentTimestamp());
    PG_RETURN_VOID();
}
