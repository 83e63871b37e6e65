#include "core/id/rsxid.hpp"

#include "pg/type/sort_support.hpp"
#include "pg/type/time_bounds.hpp"
#include "server/generator/random_id.hpp"

using snowid::core::Rsxid;
using snowid::core::Side;
using namespace snowid::pg;
using namespace snowid::server;
using snowid::server::bits_of_seed;
using snowid::server::SeedUse;

template <>
struct snowid::pg::TypeText<Rsxid> {
    static constexpr const char *form = "It is written in the digits 0-9 and a-v, of which the last is 0 or g.";
};

namespace {

// The machine stands for the running server. It is drawn when the server starts. It goes up by one whenever seconds may
// repeat, because process ids and counters then repeat too. So it is different each time, until its 24 bits wrap. A
// number taken from the real machine would be the same in every copy of the machine's image.
snowid::core::Bytes<Rsxid::kMachineSize> own_machine(std::uint64_t incarnation) {
    snowid::core::Bytes<Rsxid::kMachineSize> machine;
    snowid::core::store_be<Rsxid::kMachineSize>(machine.data(), bits_of_seed(SeedUse::rsxid_machine, 0) + incarnation);
    return machine;
}

Rsxid next_rsxid() {
    const snowid::core::Count count = next_count_in_time<Rsxid>(snowid::server::Counted::rsxid);
    Rsxid id{};
    compose(count.time, own_machine(count.incarnation), MyProcPid & Rsxid::kMaxPid, count.counter, id);
    return id;
}

}  // namespace

SNOWID_FUNCTION(snowid_rsxid_in) { return type_in<Rsxid>(fcinfo); }
SNOWID_FUNCTION(snowid_rsxid_out) { return type_out<Rsxid>(fcinfo); }
SNOWID_FUNCTION(snowid_rsxid_recv) { return type_recv<Rsxid>(fcinfo); }
SNOWID_FUNCTION(snowid_rsxid_send) { return type_send<Rsxid>(fcinfo); }
SNOWID_FUNCTION(snowid_rsxid_from_bytea) { return type_from_bytea<Rsxid>(fcinfo); }

SNOWID_FUNCTION(snowid_rsxid_lt) { return type_lt<Rsxid>(fcinfo); }
SNOWID_FUNCTION(snowid_rsxid_le) { return type_le<Rsxid>(fcinfo); }
SNOWID_FUNCTION(snowid_rsxid_eq) { return type_eq<Rsxid>(fcinfo); }
SNOWID_FUNCTION(snowid_rsxid_ne) { return type_ne<Rsxid>(fcinfo); }
SNOWID_FUNCTION(snowid_rsxid_ge) { return type_ge<Rsxid>(fcinfo); }
SNOWID_FUNCTION(snowid_rsxid_gt) { return type_gt<Rsxid>(fcinfo); }
SNOWID_FUNCTION(snowid_rsxid_cmp) { return type_cmp<Rsxid>(fcinfo); }
SNOWID_FUNCTION(snowid_rsxid_smaller) { return type_smaller<Rsxid>(fcinfo); }
SNOWID_FUNCTION(snowid_rsxid_larger) { return type_larger<Rsxid>(fcinfo); }
SNOWID_FUNCTION(snowid_rsxid_hash) { return type_hash<Rsxid>(fcinfo); }
SNOWID_FUNCTION(snowid_rsxid_hash_extended) { return type_hash_extended<Rsxid>(fcinfo); }
SNOWID_FUNCTION(snowid_rsxid_sortsupport) { return type_sortsupport<Rsxid>(fcinfo); }
SNOWID_FUNCTION(snowid_rsxid_skipsupport) { return type_skipsupport<Rsxid>(fcinfo); }
SNOWID_FUNCTION(snowid_rsxid_distance) { return type_distance<Rsxid>(fcinfo); }

SNOWID_FUNCTION(snowid_rsxid_time) { return type_time<Rsxid>(fcinfo); }
SNOWID_FUNCTION(snowid_rsxid_lower_bound) { return type_lower_bound<Rsxid>(fcinfo); }

SNOWID_FUNCTION(snowid_rsxid_time_lt) { return type_time_is<Rsxid, Side::before>(fcinfo); }
SNOWID_FUNCTION(snowid_rsxid_time_le) { return type_time_is<Rsxid, Side::until>(fcinfo); }
SNOWID_FUNCTION(snowid_rsxid_time_ge) { return type_time_is<Rsxid, Side::from>(fcinfo); }
SNOWID_FUNCTION(snowid_rsxid_time_gt) { return type_time_is<Rsxid, Side::after>(fcinfo); }
SNOWID_FUNCTION(snowid_time_lt_rsxid) { return type_time_is<Rsxid, Side::after, 1>(fcinfo); }
SNOWID_FUNCTION(snowid_time_le_rsxid) { return type_time_is<Rsxid, Side::from, 1>(fcinfo); }
SNOWID_FUNCTION(snowid_time_ge_rsxid) { return type_time_is<Rsxid, Side::until, 1>(fcinfo); }
SNOWID_FUNCTION(snowid_time_gt_rsxid) { return type_time_is<Rsxid, Side::before, 1>(fcinfo); }
SNOWID_FUNCTION(snowid_rsxid_time_in) { return type_time_in<Rsxid>(fcinfo); }
SNOWID_FUNCTION(snowid_time_contains_rsxid) { return type_time_in<Rsxid, 1>(fcinfo); }
SNOWID_FUNCTION(snowid_rsxid_first) { return type_first<Rsxid>(fcinfo); }
SNOWID_FUNCTION(snowid_rsxid_last) { return type_last<Rsxid>(fcinfo); }
SNOWID_FUNCTION(snowid_rsxid_first_in) { return to_datum(ids_of_range<Rsxid>(fcinfo).first); }
SNOWID_FUNCTION(snowid_rsxid_last_in) { return to_datum(ids_of_range<Rsxid>(fcinfo).last); }
SNOWID_FUNCTION(snowid_rsxid_first_now) { return type_first_now<Rsxid>(fcinfo); }
SNOWID_FUNCTION(snowid_rsxid_last_now) { return type_last_now<Rsxid>(fcinfo); }

SNOWID_FUNCTION(snowid_rsxid_next) { return to_datum(next_rsxid()); }
SNOWID_FUNCTION(snowid_rsxid_next_batch) { return type_next_batch<CountedBatch<next_rsxid>>(fcinfo); }

// A caller may ask for any number of ids with one second, so process id and counter together are one counter of 40 bits
// that starts at a random number.
SNOWID_FUNCTION(snowid_rsxid_at) {
    const std::uint64_t n = snowid::server::next_backfilled_rsxid() + bits_of_seed(SeedUse::rsxid_backfill, 0);
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
    Datum parts[] = {time_datum(id), bytea_datum(id.machine()), Int32GetDatum(id.pid()), Int32GetDatum(id.counter())};
    return row_datum(fcinfo, parts);
}

SNOWID_FUNCTION(snowid_rsxid_encode) {
    Rsxid id{};
    compose(time_argument<Rsxid>(fcinfo, 0), bytes_argument<Rsxid::kMachineSize>(fcinfo, 1, "machine"),
            part_argument(fcinfo, 2, "pid", Rsxid::kMaxPid), part_argument(fcinfo, 3, "counter", Rsxid::kMaxCounter),
            id);
    return to_datum(id);
}
