#include "core/id/ulid.hpp"

#include "pg/sort_support.hpp"
#include "types/random_id.hpp"

using snowid::core::Ulid;
using namespace snowid::pg;
using namespace snowid::types;

template <>
struct snowid::pg::TypeText<Ulid> {
    static constexpr const char *name = "ulid";
    static constexpr const char *form = "It is written in Crockford's base32, which has no I, L, O and U.";
};

SNOWID_FUNCTION(snowid_ulid_in) { return type_in<Ulid>(fcinfo); }
SNOWID_FUNCTION(snowid_ulid_out) { return type_out<Ulid>(fcinfo); }
SNOWID_FUNCTION(snowid_ulid_recv) { return type_recv<Ulid>(fcinfo); }
SNOWID_FUNCTION(snowid_ulid_send) { return type_send<Ulid>(fcinfo); }
SNOWID_FUNCTION(snowid_ulid_from_bytea) { return type_from_bytea<Ulid>(fcinfo); }

SNOWID_FUNCTION(snowid_ulid_lt) { return type_lt<Ulid>(fcinfo); }
SNOWID_FUNCTION(snowid_ulid_le) { return type_le<Ulid>(fcinfo); }
SNOWID_FUNCTION(snowid_ulid_eq) { return type_eq<Ulid>(fcinfo); }
SNOWID_FUNCTION(snowid_ulid_ne) { return type_ne<Ulid>(fcinfo); }
SNOWID_FUNCTION(snowid_ulid_ge) { return type_ge<Ulid>(fcinfo); }
SNOWID_FUNCTION(snowid_ulid_gt) { return type_gt<Ulid>(fcinfo); }
SNOWID_FUNCTION(snowid_ulid_cmp) { return type_cmp<Ulid>(fcinfo); }
SNOWID_FUNCTION(snowid_ulid_smaller) { return type_smaller<Ulid>(fcinfo); }
SNOWID_FUNCTION(snowid_ulid_larger) { return type_larger<Ulid>(fcinfo); }
SNOWID_FUNCTION(snowid_ulid_hash) { return type_hash<Ulid>(fcinfo); }
SNOWID_FUNCTION(snowid_ulid_hash_extended) { return type_hash_extended<Ulid>(fcinfo); }
SNOWID_FUNCTION(snowid_ulid_sortsupport) { return type_sortsupport<Ulid>(fcinfo); }
SNOWID_FUNCTION(snowid_ulid_skipsupport) { return type_skipsupport<Ulid>(fcinfo); }
SNOWID_FUNCTION(snowid_ulid_distance) { return type_distance<Ulid>(fcinfo); }

SNOWID_FUNCTION(snowid_ulid_time) { return type_time<Ulid>(fcinfo); }
SNOWID_FUNCTION(snowid_ulid_lower_bound) { return type_lower_bound<Ulid>(fcinfo); }

SNOWID_FUNCTION(snowid_ulid_next) { return next_of_timeline<Ulid>(); }
SNOWID_FUNCTION(snowid_ulid_next_batch) { return type_next_batch<TimelineBatch<Ulid>>(fcinfo); }
SNOWID_FUNCTION(snowid_ulid_at) { return next_at<Ulid>(fcinfo); }

SNOWID_FUNCTION(snowid_ulid_entropy) { return bytea_datum(arg<Ulid>(fcinfo, 0).entropy()); }

SNOWID_FUNCTION(snowid_ulid_decode) {
    const auto id = arg<Ulid>(fcinfo, 0);
    Datum parts[] = {time_datum(id), bytea_datum(id.entropy())};
    return row_datum(fcinfo, parts);
}

SNOWID_FUNCTION(snowid_ulid_encode) {
    Ulid id{};
    compose(time_argument<Ulid>(fcinfo, 0), bytes_argument<Ulid::kEntropySize>(fcinfo, 1, "entropy"), id);
    return to_datum(id);
}
