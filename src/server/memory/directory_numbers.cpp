#include "server/memory/directory_numbers.hpp"

#include "server/memory/number.hpp"
#include "server/memory/server_number.hpp"
#include "server/memory/shared.hpp"

namespace snowid::server {

core::WorkerRange directory_range() {
    const std::uint64_t range = shared->tenure.range.load();
    return {static_cast<std::uint32_t>(range >> 32), static_cast<std::uint32_t>(range)};
}

bool takes_number_of_directory(const SlotInfo &named) {
    const core::WorkerRange range = directory_range();
    if (range.first == 0 || named.follows_server) return false;
    for (std::uint32_t number = range.first; number <= range.last; ++number)
        if (could_meet(named, server_info(named.scheme, number))) return true;
    return false;
}

void require_number_of_person(const SlotInfo &named) {
    const char *number = row_of(named.scheme).number_name;
    const core::WorkerRange range = directory_range();
    if (has_directory() && named.follows_server && named.backfill)
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("generator \"%s\" needs a %s of its own", named.name, number),
                        errdetail("The server's is the directory's, and its ids of given times could be those of a "
                                  "server that had the number before."),
                        errhint("Say %s => ..., with a number that is not the directory's.", number)));
    if (takes_number_of_directory(named))
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("%s %u is the directory's to give out", number, named.number),
                        errdetail("The directory of this server's fleet gives out the numbers from %u to %u.",
                                  range.first, range.last),
                        errhint("Give generator \"%s\" another %s.", named.name, number)));
}

}  // namespace snowid::server
