#include "core/id/snowflake.hpp"
#include "core/bytes.hpp"
#include "core/inspect/parts.hpp"

#include "pg/type/arguments.hpp"
#include "pg/type/io.hpp"
#include "server/durable/layout_record.hpp"
#include "server/generator/generators.hpp"
#include "server/generator/snowflake_generator.hpp"
#include "types/wide_type.hpp"

extern "C" {
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
}

using namespace snowid::core;
using namespace snowid::pg;
using namespace snowid::server;

template <>
bool snowid::pg::read_time(const Snowflake &id, UnixMicros &t) {
    t = recorded_layout().time_of(id.bits());
    return true;
}

template <>
IdRange<Snowflake> snowid::pg::ids_on_side(Side side, UnixMicros t) {
    return ids_when(recorded_layout(), side, t);
}

namespace {

// The layout that a function uses to read a snowflake: its argument `n`, if the call has one, or else the layout that
// is recorded in the database.
const Layout &layout_argument(FunctionCallInfo fcinfo, int n) {
    if (PG_NARGS() <= n) return recorded_layout();
    return kept_argument<Layout, kMaxLayoutText>(
        fcinfo, n, [](std::string_view text, Layout &layout) { layout = read_layout(text); });
}

std::uint64_t id_argument(FunctionCallInfo fcinfo) { return static_cast<std::uint64_t>(PG_GETARG_INT64(0)); }

Datum fields_of(const Layout &layout, std::uint64_t id) {
    FixedText<kMaxFieldsText> json;
    json.append([&](Writer &out) {
        JsonObject fields(out);
        put_fields(fields, layout, id);
        fields.end();
    });
    return DirectFunctionCall1(jsonb_in, CStringGetDatum(json.text));
}

// Takes ids in runs, so that most rows touch nothing shared. A run keeps its worker however long a cursor stays open.
struct SnowflakeBatch {
    SnowflakeGenerator *of;
    SnowflakeRun run;

    void begin(FunctionCallInfo fcinfo) {
        of = &snowflake_generator;
        if (PG_NARGS() > 1) of = &named_generator<SnowflakeGenerator>(text_argument(fcinfo, 1));
    }
    Datum next(std::uint64_t left) {
        if (run.positions.count == 0) run = of->next_run(left);
        return UInt64GetDatum(run.take());
    }
};

// For filters of ids of a given layout.
IdRange<Snowflake> ids_by_layout(FunctionCallInfo fcinfo) {
    const Layout &layout = layout_argument(fcinfo, 2);
    return ids_when(layout, read_side(PG_GETARG_TEXT_PP(1)), to_unix(PG_GETARG_TIMESTAMPTZ(0)));
}

IdRange<Snowflake> ids_of_range_by_layout(FunctionCallInfo fcinfo) {
    const Layout &layout = layout_argument(fcinfo, 1);
    return ids_of_range<Snowflake>(fcinfo, [&](Side side, UnixMicros t) { return ids_when(layout, side, t); });
}

}  // namespace

SNOWID_FUNCTION(snowid_snowflake_in) { return type_in<Snowflake>(fcinfo); }

SNOWID_FUNCTION(snowid_snowflake_recv) {
    const unsigned char *bytes = receive_bytes<Snowflake>(fcinfo);
    return to_datum(Snowflake::of_bits(load_be<8>(bytes)));
}

SNOWID_FUNCTION(snowid_snowflake_time) {
    const Layout &layout = layout_argument(fcinfo, 1);
    const std::uint64_t id = id_argument(fcinfo);
    return TimestampTzGetDatum(to_timestamptz(layout.time_of(id)));
}

SNOWID_FUNCTION(snowid_snowflake_worker) {
    const Layout &layout = layout_argument(fcinfo, 1);
    const std::uint64_t id = id_argument(fcinfo);
    if (!layout.contains(id)) PG_RETURN_NULL();
    return Int32GetDatum(layout.worker(id));
}

SNOWID_FUNCTION(snowid_snowflake_sequence) {
    const Layout &layout = layout_argument(fcinfo, 1);
    const std::uint64_t id = id_argument(fcinfo);
    if (!layout.contains(id)) PG_RETURN_NULL();
    return Int32GetDatum(layout.sequence().read(id));
}

SNOWID_FUNCTION(snowid_snowflake_decode) {
    const Layout &layout = layout_argument(fcinfo, 1);
    const std::uint64_t id = id_argument(fcinfo);
    const bool is_other = !layout.contains(id);
    const RowValue parts[] = {TimestampTzGetDatum(to_timestamptz(layout.time_of(id))),
                              {Int32GetDatum(layout.worker(id)), is_other},
                              {Int32GetDatum(layout.sequence().read(id)), is_other},
                              {is_other ? Datum{0} : fields_of(layout, id), is_other}};
    return row_datum(fcinfo, parts);
}

SNOWID_FUNCTION(snowid_snowflake_encode) {
    const Layout &layout = layout_argument(fcinfo, 3);
    const TimestampTz time = PG_GETARG_TIMESTAMPTZ(0);
    const UnixMicros t = to_unix(time);
    if (!layout.holds(t)) raise_time_out_of_range(kTypeName<Snowflake>, time, layout.epoch, layout.last_time());
    const std::int64_t worker = part_argument(fcinfo, 1, "worker", layout.max_worker());
    const std::int64_t sequence =
        part_argument(fcinfo, 2, "sequence", static_cast<std::int64_t>(layout.sequence().max()));
    return to_datum(Snowflake::of_bits(
        layout.compose(layout.tick_of(t), static_cast<std::uint32_t>(worker), static_cast<std::uint32_t>(sequence))));
}

SNOWID_FUNCTION(snowid_snowflake_lower_bound) {
    const Layout &layout = layout_argument(fcinfo, 1);
    const TimestampTz time = PG_GETARG_TIMESTAMPTZ(0);
    Snowflake bound{};
    if (lower_bound(layout, to_unix(time), bound) != Status::ok)
        raise_time_too_late(kTypeName<Snowflake>, time, layout.last_time());
    return to_datum(bound);
}

SNOWID_TIME_FILTERS(snowflake, Snowflake)
SNOWID_FUNCTION(snowid_snowflake_first_by_layout) { return to_datum(ids_by_layout(fcinfo).first); }
SNOWID_FUNCTION(snowid_snowflake_last_by_layout) { return to_datum(ids_by_layout(fcinfo).last); }
SNOWID_FUNCTION(snowid_snowflake_first_by_layout_in) { return to_datum(ids_of_range_by_layout(fcinfo).first); }
SNOWID_FUNCTION(snowid_snowflake_last_by_layout_in) { return to_datum(ids_of_range_by_layout(fcinfo).last); }

SNOWID_FUNCTION(snowid_snowflake_next) { return UInt64GetDatum(snowflake_generator.next()); }
SNOWID_FUNCTION(snowid_snowflake_next_of) {
    return UInt64GetDatum(generator_argument<SnowflakeGenerator>(fcinfo, 0).next());
}
SNOWID_FUNCTION(snowid_snowflake_spread) { return UInt64GetDatum(snowflake_generator.spread()); }
SNOWID_FUNCTION(snowid_snowflake_spread_of) {
    return UInt64GetDatum(generator_argument<SnowflakeGenerator>(fcinfo, 0).spread());
}
SNOWID_FUNCTION(snowid_snowflake_at) {
    return UInt64GetDatum(generator_argument<SnowflakeGenerator>(fcinfo, 1).next_at(PG_GETARG_TIMESTAMPTZ(0)));
}
SNOWID_FUNCTION(snowid_snowflake_next_batch) { return type_next_batch<SnowflakeBatch>(fcinfo); }
