#include "core/id/sandflake.hpp"

#include "pg/type/sort_support.hpp"
#include "pg/type/time_bounds.hpp"
#include "server/generator/random_id.hpp"

using snowid::core::Sandflake;
using snowid::core::Side;
using namespace snowid::pg;
using namespace snowid::server;
using snowid::server::bits_of_seed;
using snowid::server::SeedUse;

template <>
struct snowid::pg::TypeText<Sandflake> {
    static constexpr const char *form =
        "It is written in the digits 0-9 and A-Z without I, L, O and U, of which the last is a multiple of 4.";
};

namespace {

// The worker in the ids that this server makes. It changes with every start, and with every step of the clock after
// which positions may repeat. All backends share it, so that ids ascend across backends.
snowid::core::Bytes<Sandflake::kWorkerSize> own_worker() {
    snowid::core::Bytes<Sandflake::kWorkerSize> worker;
    snowid::core::store_be<Sandflake::kWorkerSize>(
        worker.data(), bits_of_seed(SeedUse::sandflake_worker, snowid::server::steps_back()));
    return worker;
}

}  // namespace

template <>
snowid::core::Status snowid::server::fill(std::uint64_t position, Sandflake &id) {
    return from_position(position, own_worker(), random_bytes<Sandflake::kRandomSize>(), id);
}

SNOWID_FUNCTION(snowid_sandflake_in) { return type_in<Sandflake>(fcinfo); }
SNOWID_FUNCTION(snowid_sandflake_out) { return type_out<Sandflake>(fcinfo); }
SNOWID_FUNCTION(snowid_sandflake_recv) { return type_recv<Sandflake>(fcinfo); }
SNOWID_FUNCTION(snowid_sandflake_send) { return type_send<Sandflake>(fcinfo); }
SNOWID_FUNCTION(snowid_sandflake_from_bytea) { return type_from_bytea<Sandflake>(fcinfo); }

SNOWID_FUNCTION(snowid_sandflake_lt) { return type_lt<Sandflake>(fcinfo); }
SNOWID_FUNCTION(snowid_sandflake_le) { return type_le<Sandflake>(fcinfo); }
SNOWID_FUNCTION(snowid_sandflake_eq) { return type_eq<Sandflake>(fcinfo); }
SNOWID_FUNCTION(snowid_sandflake_ne) { return type_ne<Sandflake>(fcinfo); }
SNOWID_FUNCTION(snowid_sandflake_ge) { return type_ge<Sandflake>(fcinfo); }
SNOWID_FUNCTION(snowid_sandflake_gt) { return type_gt<Sandflake>(fcinfo); }
SNOWID_FUNCTION(snowid_sandflake_cmp) { return type_cmp<Sandflake>(fcinfo); }
SNOWID_FUNCTION(snowid_sandflake_smaller) { return type_smaller<Sandflake>(fcinfo); }
SNOWID_FUNCTION(snowid_sandflake_larger) { return type_larger<Sandflake>(fcinfo); }
SNOWID_FUNCTION(snowid_sandflake_hash) { return type_hash<Sandflake>(fcinfo); }
SNOWID_FUNCTION(snowid_sandflake_hash_extended) { return type_hash_extended<Sandflake>(fcinfo); }
SNOWID_FUNCTION(snowid_sandflake_sortsupport) { return type_sortsupport<Sandflake>(fcinfo); }
SNOWID_FUNCTION(snowid_sandflake_skipsupport) { return type_skipsupport<Sandflake>(fcinfo); }
SNOWID_FUNCTION(snowid_sandflake_distance) { return type_distance<Sandflake>(fcinfo); }

SNOWID_FUNCTION(snowid_sandflake_time) { return type_time<Sandflake>(fcinfo); }
SNOWID_FUNCTION(snowid_sandflake_lower_bound) { return type_lower_bound<Sandflake>(fcinfo); }

SNOWID_FUNCTION(snowid_sandflake_time_lt) { return type_time_is<Sandflake, Side::before>(fcinfo); }
SNOWID_FUNCTION(snowid_sandflake_time_le) { return type_time_is<Sandflake, Side::until>(fcinfo); }
SNOWID_FUNCTION(snowid_sandflake_time_ge) { return type_time_is<Sandflake, Side::from>(fcinfo); }
SNOWID_FUNCTION(snowid_sandflake_time_gt) { return type_time_is<Sandflake, Side::after>(fcinfo); }
SNOWID_FUNCTION(snowid_time_lt_sandflake) { return type_time_is<Sandflake, Side::after, 1>(fcinfo); }
SNOWID_FUNCTION(snowid_time_le_sandflake) { return type_time_is<Sandflake, Side::from, 1>(fcinfo); }
SNOWID_FUNCTION(snowid_time_ge_sandflake) { return type_time_is<Sandflake, Side::until, 1>(fcinfo); }
SNOWID_FUNCTION(snowid_time_gt_sandflake) { return type_time_is<Sandflake, Side::before, 1>(fcinfo); }
SNOWID_FUNCTION(snowid_sandflake_time_in) { return type_time_in<Sandflake>(fcinfo); }
SNOWID_FUNCTION(snowid_time_contains_sandflake) { return type_time_in<Sandflake, 1>(fcinfo); }
SNOWID_FUNCTION(snowid_sandflake_first) { return type_first<Sandflake>(fcinfo); }
SNOWID_FUNCTION(snowid_sandflake_last) { return type_last<Sandflake>(fcinfo); }
SNOWID_FUNCTION(snowid_sandflake_first_in) { return to_datum(ids_of_range<Sandflake>(fcinfo).first); }
SNOWID_FUNCTION(snowid_sandflake_last_in) { return to_datum(ids_of_range<Sandflake>(fcinfo).last); }
SNOWID_FUNCTION(snowid_sandflake_first_now) { return type_first_now<Sandflake>(fcinfo); }
SNOWID_FUNCTION(snowid_sandflake_last_now) { return type_last_now<Sandflake>(fcinfo); }

SNOWID_FUNCTION(snowid_sandflake_next) { return next_of_timeline<Sandflake>(); }
SNOWID_FUNCTION(snowid_sandflake_next_batch) { return type_next_batch<TimelineBatch<Sandflake>>(fcinfo); }

// A caller may ask for any number of ids with one time, so the worker is drawn for each id.
SNOWID_FUNCTION(snowid_sandflake_at) {
    Sandflake id{};
    from_position(position_argument<Sandflake>(fcinfo, 0), random_bytes<Sandflake::kWorkerSize>(),
                  random_bytes<Sandflake::kRandomSize>(), id);
    return to_datum(id);
}

SNOWID_FUNCTION(snowid_sandflake_worker) { return bytea_datum(arg<Sandflake>(fcinfo, 0).worker()); }
SNOWID_FUNCTION(snowid_sandflake_sequence) { return Int32GetDatum(arg<Sandflake>(fcinfo, 0).sequence()); }
SNOWID_FUNCTION(snowid_sandflake_random) { return bytea_datum(arg<Sandflake>(fcinfo, 0).random()); }

SNOWID_FUNCTION(snowid_sandflake_decode) {
    const auto id = arg<Sandflake>(fcinfo, 0);
    Datum parts[] = {time_datum(id), bytea_datum(id.worker()), Int32GetDatum(id.sequence()), bytea_datum(id.random())};
    return row_datum(fcinfo, parts);
}

SNOWID_FUNCTION(snowid_sandflake_encode) {
    Sandflake id{};
    compose(time_argument<Sandflake>(fcinfo, 0), bytes_argument<Sandflake::kWorkerSize>(fcinfo, 1, "worker"),
            part_argument(fcinfo, 2, "sequence", Sandflake::kMaxSequence),
            bytes_argument<Sandflake::kRandomSize>(fcinfo, 3, "random"), id);
    return to_datum(id);
}
