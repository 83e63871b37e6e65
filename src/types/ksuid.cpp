#include "core/id/ksuid.hpp"

#include "pg/type/sort_support.hpp"
#include "pg/type/time_bounds.hpp"
#include "server/generator/random_id.hpp"

using snowid::core::Ksuid;
using snowid::core::Side;
using namespace snowid::pg;
using namespace snowid::server;

template <>
struct snowid::pg::TypeText<Ksuid> {
    static constexpr const char *form = "It is written in the digits 0-9, A-Z and a-z.";
};

SNOWID_FUNCTION(snowid_ksuid_in) { return type_in<Ksuid>(fcinfo); }
SNOWID_FUNCTION(snowid_ksuid_out) { return type_out<Ksuid>(fcinfo); }
SNOWID_FUNCTION(snowid_ksuid_recv) { return type_recv<Ksuid>(fcinfo); }
SNOWID_FUNCTION(snowid_ksuid_send) { return type_send<Ksuid>(fcinfo); }
SNOWID_FUNCTION(snowid_ksuid_from_bytea) { return type_from_bytea<Ksuid>(fcinfo); }

SNOWID_FUNCTION(snowid_ksuid_lt) { return type_lt<Ksuid>(fcinfo); }
SNOWID_FUNCTION(snowid_ksuid_le) { return type_le<Ksuid>(fcinfo); }
SNOWID_FUNCTION(snowid_ksuid_eq) { return type_eq<Ksuid>(fcinfo); }
SNOWID_FUNCTION(snowid_ksuid_ne) { return type_ne<Ksuid>(fcinfo); }
SNOWID_FUNCTION(snowid_ksuid_ge) { return type_ge<Ksuid>(fcinfo); }
SNOWID_FUNCTION(snowid_ksuid_gt) { return type_gt<Ksuid>(fcinfo); }
SNOWID_FUNCTION(snowid_ksuid_cmp) { return type_cmp<Ksuid>(fcinfo); }
SNOWID_FUNCTION(snowid_ksuid_smaller) { return type_smaller<Ksuid>(fcinfo); }
SNOWID_FUNCTION(snowid_ksuid_larger) { return type_larger<Ksuid>(fcinfo); }
SNOWID_FUNCTION(snowid_ksuid_hash) { return type_hash<Ksuid>(fcinfo); }
SNOWID_FUNCTION(snowid_ksuid_hash_extended) { return type_hash_extended<Ksuid>(fcinfo); }
SNOWID_FUNCTION(snowid_ksuid_sortsupport) { return type_sortsupport<Ksuid>(fcinfo); }
SNOWID_FUNCTION(snowid_ksuid_skipsupport) { return type_skipsupport<Ksuid>(fcinfo); }
SNOWID_FUNCTION(snowid_ksuid_distance) { return type_distance<Ksuid>(fcinfo); }

SNOWID_FUNCTION(snowid_ksuid_time) { return type_time<Ksuid>(fcinfo); }
SNOWID_FUNCTION(snowid_ksuid_lower_bound) { return type_lower_bound<Ksuid>(fcinfo); }

SNOWID_FUNCTION(snowid_ksuid_time_lt) { return type_time_is<Ksuid, Side::before>(fcinfo); }
SNOWID_FUNCTION(snowid_ksuid_time_le) { return type_time_is<Ksuid, Side::until>(fcinfo); }
SNOWID_FUNCTION(snowid_ksuid_time_ge) { return type_time_is<Ksuid, Side::from>(fcinfo); }
SNOWID_FUNCTION(snowid_ksuid_time_gt) { return type_time_is<Ksuid, Side::after>(fcinfo); }
SNOWID_FUNCTION(snowid_time_lt_ksuid) { return type_time_is<Ksuid, Side::after, 1>(fcinfo); }
SNOWID_FUNCTION(snowid_time_le_ksuid) { return type_time_is<Ksuid, Side::from, 1>(fcinfo); }
SNOWID_FUNCTION(snowid_time_ge_ksuid) { return type_time_is<Ksuid, Side::until, 1>(fcinfo); }
SNOWID_FUNCTION(snowid_time_gt_ksuid) { return type_time_is<Ksuid, Side::before, 1>(fcinfo); }
SNOWID_FUNCTION(snowid_ksuid_time_in) { return type_time_in<Ksuid>(fcinfo); }
SNOWID_FUNCTION(snowid_time_contains_ksuid) { return type_time_in<Ksuid, 1>(fcinfo); }
SNOWID_FUNCTION(snowid_ksuid_first) { return type_first<Ksuid>(fcinfo); }
SNOWID_FUNCTION(snowid_ksuid_last) { return type_last<Ksuid>(fcinfo); }
SNOWID_FUNCTION(snowid_ksuid_first_in) { return to_datum(ids_of_range<Ksuid>(fcinfo).first); }
SNOWID_FUNCTION(snowid_ksuid_last_in) { return to_datum(ids_of_range<Ksuid>(fcinfo).last); }
SNOWID_FUNCTION(snowid_ksuid_first_now) { return type_first_now<Ksuid>(fcinfo); }
SNOWID_FUNCTION(snowid_ksuid_last_now) { return type_last_now<Ksuid>(fcinfo); }

SNOWID_FUNCTION(snowid_ksuid_next) { return next_of_timeline<Ksuid>(); }
SNOWID_FUNCTION(snowid_ksuid_next_batch) { return type_next_batch<TimelineBatch<Ksuid>>(fcinfo); }
SNOWID_FUNCTION(snowid_ksuid_at) { return next_at<Ksuid>(fcinfo); }

SNOWID_FUNCTION(snowid_ksuid_payload) { return bytea_datum(arg<Ksuid>(fcinfo, 0).payload()); }

SNOWID_FUNCTION(snowid_ksuid_decode) {
    const auto id = arg<Ksuid>(fcinfo, 0);
    Datum parts[] = {time_datum(id), bytea_datum(id.payload())};
    return row_datum(fcinfo, parts);
}

SNOWID_FUNCTION(snowid_ksuid_encode) {
    Ksuid id{};
    compose(time_argument<Ksuid>(fcinfo, 0), bytes_argument<Ksuid::kPayloadSize>(fcinfo, 1, "payload"), id);
    return to_datum(id);
}
