#include "core/id/ksuid.hpp"

#include "server/generator/random_ids.hpp"
#include "types/wide_type.hpp"

using namespace snowid::core;
using namespace snowid::pg;
using namespace snowid::server;

SNOWID_WIDE_TYPE(ksuid, Ksuid)
SNOWID_TIME_FILTERS(ksuid, Ksuid)

SNOWID_FUNCTION(snowid_ksuid_next) { return next_of_timeline<Ksuid>(); }
SNOWID_FUNCTION(snowid_ksuid_next_batch) { return type_next_batch<TimelineBatch<Ksuid>>(fcinfo); }
SNOWID_FUNCTION(snowid_ksuid_at) { return next_at<Ksuid>(fcinfo); }

SNOWID_FUNCTION(snowid_ksuid_payload) { return bytea_datum(arg<Ksuid>(fcinfo, 0).payload()); }

SNOWID_FUNCTION(snowid_ksuid_decode) {
    const auto id = arg<Ksuid>(fcinfo, 0);
    const RowValue parts[] = {time_datum(id), bytea_datum(id.payload())};
    return row_datum(fcinfo, parts);
}

SNOWID_FUNCTION(snowid_ksuid_encode) {
    Ksuid id{};
    compose(time_argument<Ksuid>(fcinfo, 0), bytes_argument<Ksuid::kPayloadSize>(fcinfo, 1, "payload"), id);
    return to_datum(id);
}
