#include "core/id/ulid.hpp"

#include "pg/type/sort_support.hpp"
#include "pg/type/time_bounds.hpp"
#include "server/generator/random_id.hpp"

using snowid::core::Side;
using snowid::core::Ulid;
using namespace snowid::pg;
using namespace snowid::server;

template <>
struct snowid::pg::TypeText<Ulid> {
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

SNOWID_FUNCTION(snowid_ulid_time_lt) { return type_time_is<Ulid, Side::before>(fcinfo); }
SNOWID_FUNCTION(snowid_ulid_time_le) { return type_time_is<Ulid, Side::until>(fcinfo); }
SNOWID_FUNCTION(snowid_ulid_time_ge) { return type_time_is<Ulid, Side::from>(fcinfo); }
SNOWID_FUNCTION(snowid_ulid_time_gt) { return type_time_is<Ulid, Side::after>(fcinfo); }
SNOWID_FUNCTION(snowid_time_lt_ulid) { return type_time_is<Ulid, Side::after, 1>(fcinfo); }
SNOWID_FUNCTION(snowid_time_le_ulid) { return type_time_is<Ulid, Side::from, 1>(fcinfo); }
SNOWID_FUNCTION(snowid_time_ge_ulid) { return type_time_is<Ulid, Side::until, 1>(fcinfo); }
SNOWID_FUNCTION(snowid_time_gt_ulid) { return type_time_is<Ulid, Side::before, 1>(fcinfo); }
SNOWID_FUNCTION(snowid_ulid_time_in) { return type_time_in<Ulid>(fcinfo); }
SNOWID_FUNCTION(snowid_time_contains_ulid) { return type_time_in<Ulid, 1>(fcinfo); }
SNOWID_FUNCTION(snowid_ulid_first) { return type_first<Ulid>(fcinfo); }
SNOWID_FUNCTION(snowid_ulid_last) { return type_last<Ulid>(fcinfo); }
SNOWID_FUNCTION(snowid_ulid_first_in) { return to_datum(ids_of_range<Ulid>(fcinfo).first); }
SNOWID_FUNCTION(snowid_ulid_last_in) { return to_datum(ids_of_range<Ulid>(fcinfo).last); }
SNOWID_FUNCTION(snowid_ulid_first_now) { return type_first_now<Ulid>(fcinfo); }
SNOWID_FUNCTION(snowid_ulid_last_now) { return type_last_now<Ulid>(fcinfo); }

SNOWID_FUNCTION(snowid_ulid_next) { return next_of_timeline<Ulid>(); }
SNOWID_FUNCTION(snowid_ulid_next_batch) { return type_next_batch<TimelineBatch<Ulid>>(fcinfo); }
SNOWID_FUNCTION(snowid_ulid_spread) { return next_spread<Ulid>(); }
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
