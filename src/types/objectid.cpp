#include "core/id/objectid.hpp"

#include "pg/type/sort_support.hpp"
#include "pg/type/time_bounds.hpp"
#include "server/generator/random_id.hpp"

using snowid::core::ObjectId;
using snowid::core::Side;
using namespace snowid::pg;
using namespace snowid::server;

template <>
struct snowid::pg::TypeText<ObjectId> {
    static constexpr const char *form = "It is written in the digits 0-9 and a-f.";
};

namespace {

// Tells this process apart from all others. It is drawn again after a fork. It goes up by one whenever seconds may
// repeat, so it is different each time.
struct ProcessValue {
    int pid;
    std::uint64_t drawn;
};

constinit ProcessValue process_value{};

snowid::core::Bytes<ObjectId::kRandomSize> random_of_process(std::uint64_t incarnation) {
    if (process_value.pid != MyProcPid) [[unlikely]]
        process_value = {MyProcPid, snowid::core::load_be<8>(random_bytes<8>().data())};
    snowid::core::Bytes<ObjectId::kRandomSize> bytes;
    snowid::core::store_be<ObjectId::kRandomSize>(bytes.data(), process_value.drawn + incarnation);
    return bytes;
}

ObjectId next_objectid() {
    const snowid::core::Count count = next_count_in_time<ObjectId>(snowid::server::Counted::objectid);
    ObjectId id{};
    compose(count.time, random_of_process(count.incarnation), count.counter, id);
    return id;
}

}  // namespace

SNOWID_FUNCTION(snowid_objectid_in) { return type_in<ObjectId>(fcinfo); }
SNOWID_FUNCTION(snowid_objectid_out) { return type_out<ObjectId>(fcinfo); }
SNOWID_FUNCTION(snowid_objectid_recv) { return type_recv<ObjectId>(fcinfo); }
SNOWID_FUNCTION(snowid_objectid_send) { return type_send<ObjectId>(fcinfo); }
SNOWID_FUNCTION(snowid_objectid_from_bytea) { return type_from_bytea<ObjectId>(fcinfo); }

SNOWID_FUNCTION(snowid_objectid_lt) { return type_lt<ObjectId>(fcinfo); }
SNOWID_FUNCTION(snowid_objectid_le) { return type_le<ObjectId>(fcinfo); }
SNOWID_FUNCTION(snowid_objectid_eq) { return type_eq<ObjectId>(fcinfo); }
SNOWID_FUNCTION(snowid_objectid_ne) { return type_ne<ObjectId>(fcinfo); }
SNOWID_FUNCTION(snowid_objectid_ge) { return type_ge<ObjectId>(fcinfo); }
SNOWID_FUNCTION(snowid_objectid_gt) { return type_gt<ObjectId>(fcinfo); }
SNOWID_FUNCTION(snowid_objectid_cmp) { return type_cmp<ObjectId>(fcinfo); }
SNOWID_FUNCTION(snowid_objectid_smaller) { return type_smaller<ObjectId>(fcinfo); }
SNOWID_FUNCTION(snowid_objectid_larger) { return type_larger<ObjectId>(fcinfo); }
SNOWID_FUNCTION(snowid_objectid_hash) { return type_hash<ObjectId>(fcinfo); }
SNOWID_FUNCTION(snowid_objectid_hash_extended) { return type_hash_extended<ObjectId>(fcinfo); }
SNOWID_FUNCTION(snowid_objectid_sortsupport) { return type_sortsupport<ObjectId>(fcinfo); }
SNOWID_FUNCTION(snowid_objectid_skipsupport) { return type_skipsupport<ObjectId>(fcinfo); }
SNOWID_FUNCTION(snowid_objectid_distance) { return type_distance<ObjectId>(fcinfo); }

SNOWID_FUNCTION(snowid_objectid_time) { return type_time<ObjectId>(fcinfo); }
SNOWID_FUNCTION(snowid_objectid_lower_bound) { return type_lower_bound<ObjectId>(fcinfo); }

SNOWID_FUNCTION(snowid_objectid_time_lt) { return type_time_is<ObjectId, Side::before>(fcinfo); }
SNOWID_FUNCTION(snowid_objectid_time_le) { return type_time_is<ObjectId, Side::until>(fcinfo); }
SNOWID_FUNCTION(snowid_objectid_time_ge) { return type_time_is<ObjectId, Side::from>(fcinfo); }
SNOWID_FUNCTION(snowid_objectid_time_gt) { return type_time_is<ObjectId, Side::after>(fcinfo); }
SNOWID_FUNCTION(snowid_time_lt_objectid) { return type_time_is<ObjectId, Side::after, 1>(fcinfo); }
SNOWID_FUNCTION(snowid_time_le_objectid) { return type_time_is<ObjectId, Side::from, 1>(fcinfo); }
SNOWID_FUNCTION(snowid_time_ge_objectid) { return type_time_is<ObjectId, Side::until, 1>(fcinfo); }
SNOWID_FUNCTION(snowid_time_gt_objectid) { return type_time_is<ObjectId, Side::before, 1>(fcinfo); }
SNOWID_FUNCTION(snowid_objectid_time_in) { return type_time_in<ObjectId>(fcinfo); }
SNOWID_FUNCTION(snowid_time_contains_objectid) { return type_time_in<ObjectId, 1>(fcinfo); }
SNOWID_FUNCTION(snowid_objectid_first) { return type_first<ObjectId>(fcinfo); }
SNOWID_FUNCTION(snowid_objectid_last) { return type_last<ObjectId>(fcinfo); }
SNOWID_FUNCTION(snowid_objectid_first_in) { return to_datum(ids_of_range<ObjectId>(fcinfo).first); }
SNOWID_FUNCTION(snowid_objectid_last_in) { return to_datum(ids_of_range<ObjectId>(fcinfo).last); }
SNOWID_FUNCTION(snowid_objectid_first_now) { return type_first_now<ObjectId>(fcinfo); }
SNOWID_FUNCTION(snowid_objectid_last_now) { return type_last_now<ObjectId>(fcinfo); }

SNOWID_FUNCTION(snowid_objectid_next) { return to_datum(next_objectid()); }
SNOWID_FUNCTION(snowid_objectid_next_batch) { return type_next_batch<CountedBatch<next_objectid>>(fcinfo); }

// A caller may ask for any number of ids with one second, so everything except the time is drawn for each id.
SNOWID_FUNCTION(snowid_objectid_at) {
    ObjectId id{};
    const auto counter = static_cast<std::int64_t>(snowid::core::load_be<3>(random_bytes<3>().data()));
    compose(time_argument<ObjectId>(fcinfo, 0), random_bytes<ObjectId::kRandomSize>(), counter, id);
    return to_datum(id);
}

SNOWID_FUNCTION(snowid_objectid_random) { return bytea_datum(arg<ObjectId>(fcinfo, 0).random()); }
SNOWID_FUNCTION(snowid_objectid_counter) { return Int32GetDatum(arg<ObjectId>(fcinfo, 0).counter()); }

SNOWID_FUNCTION(snowid_objectid_decode) {
    const auto id = arg<ObjectId>(fcinfo, 0);
    Datum parts[] = {time_datum(id), bytea_datum(id.random()), Int32GetDatum(id.counter())};
    return row_datum(fcinfo, parts);
}

SNOWID_FUNCTION(snowid_objectid_encode) {
    ObjectId id{};
    compose(time_argument<ObjectId>(fcinfo, 0), bytes_argument<ObjectId::kRandomSize>(fcinfo, 1, "random"),
            part_argument(fcinfo, 2, "counter", ObjectId::kMaxCounter), id);
    return to_datum(id);
}
