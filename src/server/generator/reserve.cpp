#include "server/generator/durable_generator.hpp"

#include "pg/time.hpp"
#include "server/durable/horizon.hpp"
#include "server/number/slots.hpp"
#include "server/number/tenure.hpp"
#include "server/shared/clock_guard.hpp"
#include "server/shared/settings.hpp"
#include "server/shared/shared.hpp"

extern "C" {
#include "access/xlog.h"
#include "replication/slot.h"
#include "replication/walsender.h"
#include "replication/walsender_private.h"
}

namespace snowid::server {
namespace {

// Raises an error if the clock has leapt, or returns false if the caller gives up.
bool believes_clock(Slot &slot, IfBusy if_busy) {
    const core::ClockReport report = believe_clock();
    if (report.step != core::ClockStep::leap) return true;
    if (if_busy == IfBusy::give_up) return false;
    count_refusal(slot, "the clock has leapt");
    raise_leap(report.by_ns);
}

core::UnixNanos tenure_for(core::UnixNanos end, IfBusy if_busy) {
    const core::UnixNanos until = tenure_end();
    return until >= end || if_busy == IfBusy::give_up ? until : await_tenure(end);
}

// Whether a standby is connected, or has a slot and may be back in a moment. Read without a lock: it need not be the
// very latest.
bool may_have_standby() {
    for (int i = 0; i < max_wal_senders; ++i)
        if (WalSndCtl->walsnds[i].pid != 0) return true;
    for (int i = 0; i < max_replication_slots; ++i)
        if (ReplicationSlotCtl->replication_slots[i].in_use) return true;
    return false;
}

// ROLLBACK removes the row of a generator that this transaction created. The row of the server's own generator stays,
// in this database and in its dumps, and every number begins above it.
void cover_by_server(Scheme scheme, core::UnixNanos end) {
    GeneratorHorizon of_server = default_horizon(scheme);
    note_advanced(*of_server.slot, end);
    raise_floor(of_server.generator, core::UsedUp::all_before(end));
    cover_horizon(of_server, core::UsedUp::all_before(end));
}

}  // namespace

void Reserve::begin(const GeneratorHorizon &of, bool follows_server, bool is_uncommitted) noexcept {
    horizon_ = of;
    advance_ = {Advance::busy};
    soft_ = hard_ = 0;
    margin_ns_ = scheme_row(of.scheme).margin_ns(of.ticks);
    follows_server_ = follows_server;
    is_uncommitted_ = is_uncommitted;
}

void Reserve::extend(const WantedPosition &wanted, IfBusy if_busy) {
    const core::UnixNanos now = pg::wall_clock();  // read before the clock is judged, because it may leap in between
    soft_ = core::halfway(wanted.position, hard_);
    if (!believes_clock(*horizon_.slot, if_busy)) return;
    if (advance_.is_reached()) return rely_on_advance(wanted.position);
    if (!horizon_.is_own()) advance_together(*horizon_.slot, now);
    extend_to(goal(now, wanted.end, settings.reserve_ns()), wanted, if_busy);
}

void Reserve::extend_to(const core::HorizonGoal &goal, const WantedPosition &wanted, IfBusy if_busy) {
    soft_ = core::halfway(wanted.position, hard_);
    const core::UnixNanos until = follows_server_ ? tenure_for(wanted.end, if_busy) : core::UnixNanos{INT64_MAX};
    const Advance made = advance_horizon(horizon_, {wanted.seen, goal, until}, if_busy, wal_end_);
    if (!made.is_reached()) return;
    if (is_uncommitted_) cover_by_server(horizon_.scheme, made.end);
    advance_ = made;
    if (if_busy == IfBusy::wait || may_have_standby()) return rely_on_advance(wanted.position);
}

void Reserve::rely_on_advance(std::uint64_t position) {
    const Advance made = std::exchange(advance_, {Advance::busy});
    XLogFlush(wal_end_);
    hard_ = std::max(hard_, made.limit);
    const std::int64_t reserve_ns = settings.reserve_ns();
    const std::int64_t left_ns = made.end.value - core::due_ns(reserve_ns) - pg::wall_clock().value;
    const std::uint64_t until_due =
        scheme_row(horizon_.scheme).positions_in(horizon_.ticks, std::clamp(left_ns, std::int64_t{0}, reserve_ns));
    soft_ = core::soft_limit(position, hard_, until_due);
}

}  // namespace snowid::server
