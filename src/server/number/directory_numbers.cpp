#include "server/number/directory_numbers.hpp"

#include "pg/time.hpp"
#include "server/number/number.hpp"
#include "server/number/server_number.hpp"
#include "server/shared/shared.hpp"
#include "server/shared/wait.hpp"

namespace snowid::server {
namespace {

// After a start, any number may be the directory's until the directory has answered once.
void await_range(const char *name) {
    if (await_directory([] { return !has_directory() || directory_range().first != 0; })) return;
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("it is not known yet whether the directory gives out the number of generator \"%s\"", name),
                    errdetail("The directory has not answered since this server started."),
                    errhint("To see what it says, run: SELECT * FROM snowid_worker;")));
}

}  // namespace

bool await_directory(core::FunctionRef<bool()> has_come) {
    constexpr std::int64_t kPatienceNs = 5 * core::kNanosPerSecond;
    TenureMemory &tenure = shared->tenure;
    const std::uint64_t began_at = tenure.news.load();
    for (const std::int64_t began = pg::monotonic_ns(); !has_come();
         sleep_slice(core::millis(10), Waiting::for_directory)) {
        if (tenure.vain.load() == tenure.news.load() + 1) return false;
        tenure.worker.wake();
        if (pg::monotonic_ns() - began < kPatienceNs) continue;
        tenure.vain.store(began_at + 1);
        return false;
    }
    return true;
}

core::WorkerRange directory_range() {
    const std::uint64_t range = shared->tenure.range.load();
    return {static_cast<std::uint32_t>(range >> 32), static_cast<std::uint32_t>(range)};
}

bool takes_number_of_directory(const SlotInfo &named) {
    if (!has_directory() || named.follows_server) return false;
    const core::WorkerRange range = directory_range();
    if (range.first == 0) return true;  // not known yet: it may
    if (!scheme_row(named.scheme).has_layout || named.layout == shared->layout) return range.holds(named.number);
    return named.layout.same_time_as(shared->layout) &&
           core::overlap(claim_of(named), shared->layout, range.first,
                         std::min(range.last, shared->layout.max_worker()));
}

void require_configured_number(const SlotInfo &named) {
    if (!has_directory()) return;
    const char *number = scheme_row(named.scheme).number_name;
    if (named.follows_server && named.backfill)
        ereport(ERROR,
                (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                 errmsg("generator \"%s\" needs a %s of its own", named.name, number),
                 errdetail("The directory gives out the server's number, so ids of given times could be the same as "
                           "those of a server that had the number before."),
                 errhint("Set %s => ... to a number that the directory does not give out.", number)));
    if (!named.follows_server) await_range(named.name);
    if (!takes_number_of_directory(named)) return;
    const core::WorkerRange range = directory_range();
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("only the directory can give out %s %u", number, named.number),
                    errdetail("The directory of this server's fleet gives out the numbers from %u to %u.", range.first,
                              range.last),
                    errhint("Give generator \"%s\" another %s.", named.name, number)));
}

}  // namespace snowid::server
