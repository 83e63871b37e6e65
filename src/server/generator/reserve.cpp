#include "server/generator/reserve.hpp"

#include <algorithm>

#include "pg/clock.hpp"
#include "server/base/settings.hpp"
#include "server/horizon/together.hpp"
#include "server/memory/shared.hpp"
#include "server/number/slots.hpp"
#include "server/tenure/tenure.hpp"
#include "server/waiting/clock_guard.hpp"

extern "C" {
#include "access/xlog.h"
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

std::uint64_t halfway(std::uint64_t position, std::uint64_t limit) {
    return limit > position ? position + (limit - position) / 2 : limit;
}

core::UnixNanos tenure_for(core::UnixNanos end, IfBusy if_busy) {
    const core::UnixNanos until = tenure_end();
    return until >= end || if_busy == IfBusy::give_up ? until : await_tenure(end);
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
    soft_ = hard_;
    if (!believes_clock(*horizon_.slot, if_busy)) return;
    if (advance_.is_reached()) return rely_on_advance(wanted.position);
    if (!horizon_.is_own()) advance_together(*horizon_.slot, now);
    extend_to(goal(now, wanted.end, settings.reserve_ns()), wanted, if_busy);
}

void Reserve::extend_to(const core::HorizonGoal &goal, const WantedPosition &wanted, IfBusy if_busy) {
    soft_ = hard_;
    const core::UnixNanos until = follows_server_ ? tenure_for(wanted.end, if_busy) : core::UnixNanos{INT64_MAX};
    const Advance made = advance_horizon(horizon_, {wanted.seen, goal, until}, if_busy, wal_end_);
    if (!made.is_reached()) return;
    if (is_uncommitted_) cover_by_server(horizon_.scheme, made.end);
    advance_ = made;
    if (if_busy == IfBusy::wait) return rely_on_advance(wanted.position);
    soft_ = halfway(wanted.position, hard_);
}

void Reserve::rely_on_advance(std::uint64_t position) {
    const Advance made = std::exchange(advance_, {Advance::busy});
    XLogFlush(wal_end_);
    hard_ = std::max(hard_, made.limit);
    soft_ = halfway(position, hard_);
}

}  // namespace snowid::server
