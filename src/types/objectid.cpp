#include "core/id/objectid.hpp"

#include "server/generator/random_ids.hpp"
#include "types/wide_type.hpp"

using namespace snowid::core;
using namespace snowid::pg;
using namespace snowid::server;

namespace {

// Tells this process apart from all others. It is drawn again after a fork. It goes up by one whenever seconds may
// repeat, so it is different each time.
struct ProcessValue {
    int pid;
    std::uint64_t drawn;
};

constinit ProcessValue process_value{};

Bytes<ObjectId::kRandomSize> random_of_process(std::uint64_t incarnation) {
    if (process_value.pid != MyProcPid) [[unlikely]]
        process_value = {MyProcPid, load_be<8>(random_bytes<8>().data())};
    Bytes<ObjectId::kRandomSize> bytes;
    store_be<ObjectId::kRandomSize>(bytes.data(), process_value.drawn + incarnation);
    return bytes;
}

ObjectId next_objectid() {
    const Count count = next_count_in_time<ObjectId>(Counted::objectid);
    ObjectId id{};
    compose(count.time, random_of_process(count.incarnation), count.counter, id);
    return id;
}

}  // namespace

SNOWID_WIDE_TYPE(objectid, ObjectId)
SNOWID_TIME_FILTERS(objectid, ObjectId)

SNOWID_FUNCTION(snowid_objectid_next) { return to_datum(next_objectid()); }
SNOWID_FUNCTION(snowid_objectid_next_batch) { return type_next_batch<CountedBatch<next_objectid>>(fcinfo); }

// A caller may ask for any number of ids with one second, so everything except the time is drawn for each id.
SNOWID_FUNCTION(snowid_objectid_at) {
    ObjectId id{};
    const auto counter = static_cast<std::int64_t>(load_be<3>(random_bytes<3>().data()));
    compose(time_argument<ObjectId>(fcinfo, 0), random_bytes<ObjectId::kRandomSize>(), counter, id);
    return to_datum(id);
}

SNOWID_FUNCTION(snowid_objectid_random) { return bytea_datum(arg<ObjectId>(fcinfo, 0).random()); }
SNOWID_FUNCTION(snowid_objectid_counter) { return Int32GetDatum(arg<ObjectId>(fcinfo, 0).counter()); }

SNOWID_FUNCTION(snowid_objectid_decode) {
    const auto id = arg<ObjectId>(fcinfo, 0);
    const RowValue parts[] = {time_datum(id), bytea_datum(id.random()), Int32GetDatum(id.counter())};
    return row_datum(fcinfo, parts);
}

SNOWID_FUNCTION(snowid_objectid_encode) {
    ObjectId id{};
    compose(time_argument<ObjectId>(fcinfo, 0), bytes_argument<ObjectId::kRandomSize>(fcinfo, 1, "random"),
            part_argument(fcinfo, 2, "counter", ObjectId::kMaxCounter), id);
    return to_datum(id);
}
