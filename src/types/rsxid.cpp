#include "core/id/rsxid.hpp"

#include "server/generator/random_ids.hpp"
#include "types/wide_type.hpp"

using namespace snowid::core;
using namespace snowid::pg;
using namespace snowid::server;

namespace {

// The machine stands for the running server. It is drawn when the server starts. It goes up by one whenever seconds may
// repeat, because process ids and counters then repeat too. So it is different each time, until its 24 bits wrap. A
// number taken from the real machine would be the same in every copy of the machine's image.
Bytes<Rsxid::kMachineSize> own_machine(std::uint64_t incarnation) {
    Bytes<Rsxid::kMachineSize> machine;
    store_be<Rsxid::kMachineSize>(machine.data(), bits_of_seed(SeedUse::rsxid_machine, 0) + incarnation);
    return machine;
}

Rsxid next_rsxid() {
    const Count count = next_count_in_time<Rsxid>(Counted::rsxid);
    Rsxid id{};
    compose(count.time, own_machine(count.incarnation), MyProcPid & Rsxid::kMaxPid, count.counter, id);
    return id;
}

}  // namespace

SNOWID_WIDE_TYPE(rsxid, Rsxid)
SNOWID_TIME_FILTERS(rsxid, Rsxid)

SNOWID_FUNCTION(snowid_rsxid_next) { return to_datum(next_rsxid()); }
SNOWID_FUNCTION(snowid_rsxid_next_batch) { return type_next_batch<CountedBatch<next_rsxid>>(fcinfo); }

// A caller may ask for any number of ids with one second, so process id and counter together are one counter of 40 bits
// that starts at a random number.
SNOWID_FUNCTION(snowid_rsxid_at) {
    const std::uint64_t n = next_backfilled_rsxid() + bits_of_seed(SeedUse::rsxid_backfill, 0);
    Rsxid id{};
    compose(time_argument<Rsxid>(fcinfo, 0), own_machine(0), static_cast<std::int64_t>(n >> 24) & Rsxid::kMaxPid,
            static_cast<std::int64_t>(n) & Rsxid::kMaxCounter, id);
    return to_datum(id);
}

SNOWID_FUNCTION(snowid_rsxid_machine) { return bytea_datum(arg<Rsxid>(fcinfo, 0).machine()); }
SNOWID_FUNCTION(snowid_rsxid_pid) { return Int32GetDatum(arg<Rsxid>(fcinfo, 0).pid()); }
SNOWID_FUNCTION(snowid_rsxid_counter) { return Int32GetDatum(arg<Rsxid>(fcinfo, 0).counter()); }

SNOWID_FUNCTION(snowid_rsxid_decode) {
    const auto id = arg<Rsxid>(fcinfo, 0);
    const RowValue parts[] = {time_datum(id), bytea_datum(id.machine()), Int32GetDatum(id.pid()),
                              Int32GetDatum(id.counter())};
    return row_datum(fcinfo, parts);
}

SNOWID_FUNCTION(snowid_rsxid_encode) {
    Rsxid id{};
    compose(time_argument<Rsxid>(fcinfo, 0), bytes_argument<Rsxid::kMachineSize>(fcinfo, 1, "machine"),
            part_argument(fcinfo, 2, "pid", Rsxid::kMaxPid), part_argument(fcinfo, 3, "counter", Rsxid::kMaxCounter),
            id);
    return to_datum(id);
}
