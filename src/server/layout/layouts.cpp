// Layouts in SQL: their canonical text, and the presets.
#include "core/clock/ticks.hpp"
#include "core/layout/layout_text.hpp"
#include "pg/compat.hpp"
#include "pg/error.hpp"
#include "pg/function.hpp"
#include "pg/layout.hpp"
#include "pg/time.hpp"
#include "pg/type/arguments.hpp"

extern "C" {
#include "utils/builtins.h"
#include "utils/timestamp.h"
}

using snowid::core::Layout;

namespace {

Datum preset_row(TupleDesc row, const snowid::core::Preset &of) {
    const Layout layout = snowid::pg::read_layout(of.name);
    const std::int64_t capacity = std::int64_t{1} << layout.sequence().bits;
    Interval *tick = static_cast<Interval *>(palloc0(sizeof(Interval)));
    tick->time = layout.tick_us;
    Datum values[] = {
        CStringGetTextDatum(of.name.data()),
        CStringGetTextDatum(snowid::pg::layout_text(layout)),
        Int64GetDatum(std::int64_t{layout.max_worker()} + 1),
        IntervalPGetDatum(tick),
        Int64GetDatum(capacity),
        Int64GetDatum(capacity * USECS_PER_SEC / layout.tick_us),
        TimestampTzGetDatum(snowid::pg::to_timestamptz(layout.last_generated_time())),
    };
    bool nulls[std::size(values)] = {};
    return HeapTupleGetDatum(heap_form_tuple(row, values, nulls));
}

}  // namespace

// Every recorded layout has passed through this function.
SNOWID_FUNCTION(snowid_layout_canonical) {
    const Layout layout = snowid::pg::read_new_layout(snowid::pg::text_argument(fcinfo, 0));
    return CStringGetTextDatum(snowid::pg::layout_text(layout));
}

SNOWID_FUNCTION(snowid_layouts) {
    if (SRF_IS_FIRSTCALL()) {
        FuncCallContext *call = SRF_FIRSTCALL_INIT();
        MemoryContext caller = MemoryContextSwitchTo(call->multi_call_memory_ctx);
        if (get_call_result_type(fcinfo, nullptr, &call->tuple_desc) != TYPEFUNC_COMPOSITE)
            elog(ERROR, "snowid_layouts returns no row");
        call->tuple_desc = BlessTupleDesc(call->tuple_desc);
        call->max_calls = std::size(snowid::core::kPresets);
        MemoryContextSwitchTo(caller);
    }
    FuncCallContext *call = SRF_PERCALL_SETUP();
    if (call->call_cntr == call->max_calls) SRF_RETURN_DONE(call);
    const Datum row = preset_row(call->tuple_desc, snowid::core::kPresets[call->call_cntr]);
    SRF_RETURN_NEXT(call, row);
}
