// Layouts in SQL: their canonical text, and the presets.
#include "core/clock/ticks.hpp"
#include "core/layout/layout_text.hpp"
#include "pg/compat.hpp"
#include "pg/error.hpp"
#include "pg/function.hpp"
#include "pg/time.hpp"
#include "pg/type/arguments.hpp"

extern "C" {
#include "utils/builtins.h"
#include "utils/timestamp.h"
}

using namespace snowid::core;
using namespace snowid::pg;

namespace {

void put_row(const Rows &rows, const Preset &of) {
    const Layout layout = read_layout(of.name);
    const std::int64_t capacity = std::int64_t{1} << layout.sequence().bits;
    rows.add({
        CStringGetTextDatum(of.name.data()),
        CStringGetTextDatum(layout_text(layout)),
        Int64GetDatum(std::int64_t{layout.max_worker()} + 1),
        interval_of_micros(layout.tick_us),
        Int64GetDatum(capacity),
        Int64GetDatum(capacity * USECS_PER_SEC / layout.tick_us),
        TimestampTzGetDatum(to_timestamptz(layout.last_generated_time())),
    });
}

}  // namespace

// Every recorded layout has passed through this function.
SNOWID_FUNCTION(snowid_layout_canonical) {
    const Layout layout = read_new_layout(text_argument(fcinfo, 0));
    return CStringGetTextDatum(layout_text(layout));
}

SNOWID_FUNCTION(snowid_layouts) {
    const Rows rows(fcinfo);
    for (const Preset &preset : kPresets) put_row(rows, preset);
    return Datum{0};
}
