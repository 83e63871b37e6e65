#include "core/id/sandflake.hpp"

#include "server/generator/random_ids.hpp"
#include "types/wide_type.hpp"

using namespace snowid::core;
using namespace snowid::pg;
using namespace snowid::server;

namespace {

// The worker in the ids that this server makes. It changes with every start, and with every step of the clock after
// which positions may repeat. All backends share it, so that ids ascend across backends.
Bytes<Sandflake::kWorkerSize> own_worker() {
    Bytes<Sandflake::kWorkerSize> worker;
    store_be<Sandflake::kWorkerSize>(worker.data(), bits_of_seed(SeedUse::sandflake_worker, steps_back()));
    return worker;
}

}  // namespace

template <>
Status snowid::server::fill(std::uint64_t position, Sandflake &id) {
    return from_position(position, own_worker(), random_bytes<Sandflake::kRandomSize>(), id);
}

SNOWID_WIDE_TYPE(sandflake, Sandflake)
SNOWID_TIME_FILTERS(sandflake, Sandflake)

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
    const RowValue parts[] = {time_datum(id), bytea_datum(id.worker()), Int32GetDatum(id.sequence()),
                              bytea_datum(id.random())};
    return row_datum(fcinfo, parts);
}

SNOWID_FUNCTION(snowid_sandflake_encode) {
    Sandflake id{};
    compose(time_argument<Sandflake>(fcinfo, 0), bytes_argument<Sandflake::kWorkerSize>(fcinfo, 1, "worker"),
            part_argument(fcinfo, 2, "sequence", Sandflake::kMaxSequence),
            bytes_argument<Sandflake::kRandomSize>(fcinfo, 3, "random"), id);
    return to_datum(id);
}
