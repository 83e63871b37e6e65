#include "core/id/ulid.hpp"

#include "server/generator/random_ids.hpp"
#include "types/wide_type.hpp"

using namespace snowid::core;
using namespace snowid::pg;
using namespace snowid::server;

SNOWID_WIDE_TYPE(ulid, Ulid)
SNOWID_TIME_FILTERS(ulid, Ulid)

SNOWID_FUNCTION(snowid_ulid_next) { return next_of_timeline<Ulid>(); }
SNOWID_FUNCTION(snowid_ulid_next_batch) { return type_next_batch<TimelineBatch<Ulid>>(fcinfo); }
SNOWID_FUNCTION(snowid_ulid_spread) { return next_spread<Ulid>(); }
SNOWID_FUNCTION(snowid_ulid_at) { return next_at<Ulid>(fcinfo); }

SNOWID_FUNCTION(snowid_ulid_entropy) { return bytea_datum(arg<Ulid>(fcinfo, 0).entropy()); }

SNOWID_FUNCTION(snowid_ulid_decode) {
    const auto id = arg<Ulid>(fcinfo, 0);
    const RowValue parts[] = {time_datum(id), bytea_datum(id.entropy())};
    return row_datum(fcinfo, parts);
}

SNOWID_FUNCTION(snowid_ulid_encode) {
    Ulid id{};
    compose(time_argument<Ulid>(fcinfo, 0), bytes_argument<Ulid::kEntropySize>(fcinfo, 1, "entropy"), id);
    return to_datum(id);
}
