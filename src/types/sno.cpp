#include "core/id/sno.hpp"

#include "pg/type/arguments.hpp"
#include "server/generator/generators.hpp"
#include "server/generator/sno_generator.hpp"
#include "types/wide_type.hpp"

extern "C" {
#include "utils/fmgrprotos.h"
#include "utils/uuid.h"
}

using namespace snowid::core;
using namespace snowid::pg;
using namespace snowid::server;

namespace {

std::int64_t metabyte_argument(FunctionCallInfo fcinfo, int n) {
    require_argument(fcinfo, n, "the metabyte");
    return part_argument(fcinfo, n, "metabyte", Sno::kMaxMetabyte);
}

// The ids of a run keep the partition that was in force when the run was taken, however long a cursor stays open.
struct SnoBatch {
    SnoGenerator *of;
    std::int64_t metabyte;
    SnoRun run;

    void begin(FunctionCallInfo fcinfo) {
        metabyte = metabyte_argument(fcinfo, 1);
        of = PG_NARGS() > 2 ? &named_generator<SnoGenerator>(text_argument(fcinfo, 2)) : &sno_generator;
    }
    Datum next(std::uint64_t left) {
        if (run.count == 0) run = of->next_run(left);
        return to_datum(run.take(metabyte));
    }
};

}  // namespace

SNOWID_WIDE_TYPE(sno, Sno)
SNOWID_TIME_FILTERS(sno, Sno)

// The bytes of the uuid are the characters of the sno.
SNOWID_FUNCTION(snowid_sno_to_uuid) {
    static_assert(Sno::kTextSize == UUID_LEN);
    auto *uuid = static_cast<pg_uuid_t *>(palloc(sizeof(pg_uuid_t)));
    format(arg<Sno>(fcinfo, 0), reinterpret_cast<char *>(uuid->data));
    return UUIDPGetDatum(uuid);
}

SNOWID_FUNCTION(snowid_sno_from_uuid) {
    const pg_uuid_t *uuid = PG_GETARG_UUID_P(0);
    Sno id{};
    const auto status = parse({reinterpret_cast<const char *>(uuid->data), UUID_LEN}, id);
    if (status != Status::ok)
        report_input_error(status, kTypeName<Sno>, "A uuid is a sno if its 16 bytes are the characters of one.",
                           DatumGetCString(DirectFunctionCall1(uuid_out, PG_GETARG_DATUM(0))), nullptr);
    return to_datum(id);
}

// The smallest id with this metabyte: the unit of the bound, without the tick-tock bit.
SNOWID_FUNCTION(snowid_sno_lower_bound_of_metabyte) {
    auto bound = from_datum<Sno>(type_lower_bound<Sno>(fcinfo));
    bound.set_metabyte(metabyte_argument(fcinfo, 1));
    return to_datum(bound);
}

SNOWID_FUNCTION(snowid_sno_next) { return to_datum(sno_generator.next(metabyte_argument(fcinfo, 0))); }
SNOWID_FUNCTION(snowid_sno_next_of) {
    const std::int64_t metabyte = metabyte_argument(fcinfo, 0);
    return to_datum(generator_argument<SnoGenerator>(fcinfo, 1).next(metabyte));
}
SNOWID_FUNCTION(snowid_sno_next_batch) { return type_next_batch<SnoBatch>(fcinfo); }
SNOWID_FUNCTION(snowid_sno_at) {
    const std::int64_t metabyte = metabyte_argument(fcinfo, 2);
    return to_datum(generator_argument<SnoGenerator>(fcinfo, 1).next_at(PG_GETARG_TIMESTAMPTZ(0), metabyte));
}

SNOWID_FUNCTION(snowid_sno_metabyte) { return Int32GetDatum(arg<Sno>(fcinfo, 0).metabyte()); }
SNOWID_FUNCTION(snowid_sno_partition) { return Int32GetDatum(arg<Sno>(fcinfo, 0).partition()); }
SNOWID_FUNCTION(snowid_sno_sequence) { return Int32GetDatum(arg<Sno>(fcinfo, 0).sequence()); }
SNOWID_FUNCTION(snowid_sno_tick_tock) { return BoolGetDatum(arg<Sno>(fcinfo, 0).tick_tock()); }

SNOWID_FUNCTION(snowid_sno_decode) {
    const auto id = arg<Sno>(fcinfo, 0);
    const RowValue parts[] = {time_datum(id), Int32GetDatum(id.metabyte()), Int32GetDatum(id.partition()),
                              Int32GetDatum(id.sequence()), BoolGetDatum(id.tick_tock())};
    return row_datum(fcinfo, parts);
}

SNOWID_FUNCTION(snowid_sno_encode) {
    const SnoParts parts{metabyte_argument(fcinfo, 1), part_argument(fcinfo, 2, "partition", Sno::kMaxPartition),
                         part_argument(fcinfo, 3, "sequence", Sno::kMaxSequence), PG_GETARG_BOOL(4)};
    Sno id{};
    compose(time_argument<Sno>(fcinfo, 0), parts, id);
    return to_datum(id);
}

SNOWID_FUNCTION(snowid_sno_with) {
    if (PG_ARGISNULL(0)) PG_RETURN_NULL();
    auto id = arg<Sno>(fcinfo, 0);
    if (!PG_ARGISNULL(1)) id.set_metabyte(metabyte_argument(fcinfo, 1));
    if (!PG_ARGISNULL(2)) id.set_partition(part_argument(fcinfo, 2, "partition", Sno::kMaxPartition));
    return to_datum(id);
}
