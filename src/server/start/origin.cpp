#include "server/start/origin.hpp"

#include "server/durable/horizon_page.hpp"
#include "server/shared/shared.hpp"

extern "C" {
#include "access/xlogrecovery.h"
}

namespace snowid::server {
namespace {

struct Origin {
    std::int64_t end_ns, server;
    core::History history;
};

// A standby that was promoted has followed its primary. What reads an archive and follows nobody was restored, and its
// original may go on.
bool was_restored() {
    return recoveryRestoreCommand != nullptr && *recoveryRestoreCommand != '\0' &&
           (PrimaryConnInfo == nullptr || *PrimaryConnInfo == '\0');
}

void note_clock(const core::Floor &floor, std::int64_t end_ns) {
    if (floor.boot != shared->identity.boot || end_ns <= shared->clock_known_ns.load()) return;
    shared->clock_known_ns.store(end_ns);
    shared->clock.set(floor.clock);
}

void note(const Origin &origin) {
    if (origin.end_ns <= shared->origin_known_ns.load()) return;
    shared->origin_known_ns.store(origin.end_ns);
    const bool is_same_timeline = origin.history.timeline() == this_history().timeline();
    const bool is_copy = is_same_timeline || origin.history.is_of_copy() || was_restored();
    const bool is_here = can_be_same({origin.server}, shared->identity.home);
    shared->original.store(is_copy && !is_here ? origin.server : 0);
}

}  // namespace

void note_origin(const core::Floor &floor, Scheme scheme) {
    if (floor.server == 0) return;
    const core::UnixNanos own = scheme_row(scheme).first_time_after(floor.own);
    const std::int64_t end_ns = std::max({own, floor.named, floor.others}).value;
    note_clock(floor, end_ns);
    note({end_ns, floor.server, {floor.history}});
    shared->floors_know.store(true);
}

void note_origin(const HorizonRow &row) {
    if (shared->floors_know.load() || row.server == 0) return;
    note({row.horizon_ns, row.server, row.history()});
}

}  // namespace snowid::server
