#include "server/generator/backend_generator.hpp"

#include <algorithm>

#include "pg/clock.hpp"
#include "pg/error.hpp"
#include "server/base/settings.hpp"
#include "server/base/wait.hpp"
#include "server/horizon/together.hpp"
#include "server/memory/shared.hpp"
#include "server/number/pending_changes.hpp"
#include "server/number/slots.hpp"
#include "server/record/cut_off.hpp"
#include "server/record/generator_record.hpp"
#include "server/record/grants.hpp"
#include "server/tenure/tenure.hpp"
#include "server/waiting/await_start.hpp"
#include "server/waiting/clock_guard.hpp"
#include "server/waiting/overflow.hpp"

extern "C" {
#include "access/xlog.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"
}

namespace snowid::server {
namespace {

// Until the clock reaches this time, ids are ahead of it for a known reason.
std::int64_t behind_until_ns(const Slot &slot) {
    return std::max(shared->behind_until_ns.load(std::memory_order_relaxed),
                    slot.start_ns.load(std::memory_order_relaxed));
}

[[noreturn]] void raise_uncommitted(const GeneratorRecord &record, const char *what, const char *why) {
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("generator \"%s\" makes no ids in a transaction that %s", record.name, what),
                    errdetail("%s", why), errhint("Commit the transaction first.")));
}

// Ids are made only with committed records. The exception is a generator that this transaction created, in the leader:
// nobody else knows it, and the horizon of the server's own generator also covers its ids.
void require_committed(const GeneratorRecord &record) {
    if (claims_end_at_commit(record.key()))
        raise_uncommitted(record, "changes what they are",
                          "Until the transaction is committed other sessions make ids by what it was.");
    if (record.is_of_this_transaction && record.backfill)
        raise_uncommitted(record, "creates or changes it",
                          "After ROLLBACK nothing would remember the times that were given to it.");
    if (record.is_of_this_transaction && !record.has_time_of_server())
        raise_uncommitted(record, "creates or changes it",
                          "After ROLLBACK nothing would remember its ticks, which are not the server's.");
    require_committed_records();
}

// ROLLBACK removes the row of a generator that this transaction created. The row of the server's own generator stays,
// in this database and in its dumps, and every number begins above it.
void cover_by_server(Scheme scheme, core::UnixNanos horizon) {
    GeneratorHorizon of_server = default_horizon(scheme);
    note_raised(*of_server.slot, horizon);
    cover_horizon(of_server, core::UsedUp::all_before(horizon));
}

}  // namespace

void BackendGenerator::attach_default() {
    list_generator(*this);
    take_part();
    raised_ = {};
    horizon_ = default_horizon(scheme());
    slot_ = horizon_.slot;
    lock_slots(false);
    version_ = slot_->version.load();
    unlock_slots();
    require_committed_records();
}

GeneratorRecord BackendGenerator::attach_named(For purpose) {
    take_part();
    for (;;) {
        leave();
        raised_ = {};
        std::uint64_t changes = 0;
        const GeneratorRecord record = look_up_again(name(), changes);
        require_scheme(record, scheme());
        keep_grants(granted_roles(record));
        if (purpose == For::ids) require_usage();
        check_record(record);
        require_committed(record);
        if (attach(record, changes)) return record;
        CHECK_FOR_INTERRUPTS();
    }
}

bool BackendGenerator::attach(const GeneratorRecord &record, std::uint64_t changes) {
    HorizonRow row{};
    RowPlace place;
    if (!read_horizon(record.id, row, place)) raise_horizon_missing();
    const core::UsedUp begin = used_with_lost(record, row);
    const SlotStart start{begin, last_given_us(begin.horizon), row.server == 0};
    const UsedSlot used = use_slot(record.key(), record.info(), changes, start);
    slot_ = used.slot;
    version_ = used.version;
    if (used.room != Room::found) {
        if (!leave_unused()) raise_no_room(used.room, scheme());
    }
    if (slot_ == nullptr || slot_changes() != used.changes) return false;
    horizon_ = {record.id, scheme(), slot_, record.ticks(), place};
    backfill_ = record.backfill;
    future_ = record.future;
    is_cut_off_ = is_cut_off(record, row);
    known_ = {row.horizon_ns};
    asks_first_ = backfill_ || granted_to_ != nullptr;
    is_uncommitted_ = record.is_of_this_transaction;
    return true;
}

void BackendGenerator::keep_grants(const ArrayType *granted_to) {
    if (granted_to_ != nullptr) pfree(granted_to_);
    granted_to_ = nullptr;
    if (granted_to == nullptr) return;
    granted_to_ = static_cast<ArrayType *>(MemoryContextAlloc(TopMemoryContext, VARSIZE(granted_to)));
    std::memcpy(granted_to_, granted_to, VARSIZE(granted_to));
}

void BackendGenerator::extend(std::uint64_t position, std::uint64_t seen, IfBusy if_busy) {
    const core::UnixNanos now = pg::wall_clock();  // read before the clock is judged, because it may leap in between
    if (!believes_clock(if_busy)) {
        leave_tick();
        return limit_.ask_at_the_end();
    }
    if (raised_.horizon.value != 0) {
        leave_tick();
        return rely_on_raise(position, if_busy);
    }
    if (!is_default()) raise_together(*slot_, now);
    extend_from(now, settings.reserve_ns(), position, seen, if_busy);
}

void BackendGenerator::extend_from(core::UnixNanos now, std::int64_t reserve_ns, std::uint64_t position,
                                   std::uint64_t seen, IfBusy if_busy) {
    const SchemeRow &scheme = row_of(name_.scheme);
    count_issued();
    leave_tick();
    limit_.ask_at_the_end();
    const core::HorizonGoal goal = scheme.goal(horizon_.ticks, now, position, reserve_ns);
    Raised raised;
    if (!raise_horizon(horizon_, seen, goal, if_busy, raised) || raised.horizon.value == 0 || !ready_) return;
    if (is_uncommitted_) cover_by_server(name_.scheme, raised.horizon);
    raised_ = raised;
    if (if_busy == IfBusy::give_up)
        limit_.raise(limit_.hard, position);  // nothing but the soft limit moves
    else
        rely_on_raise(position, if_busy);
}

void BackendGenerator::rely_on_raise(std::uint64_t position, IfBusy if_busy) {
    const Raised raised = std::exchange(raised_, {});
    XLogFlush(raised.end);
    limit_.ask_at_the_end();
    limit_.raise(row_of(name_.scheme).limit(horizon_.ticks, within_tenure(raised.horizon, position, if_busy)),
                 position);
}

// The earlier of the durable horizon and the end of the server's tenure.
core::UnixNanos BackendGenerator::within_tenure(core::UnixNanos horizon, std::uint64_t position, IfBusy if_busy) const {
    if (!follows_server_) return horizon;
    const auto limit_of = [&](core::UnixNanos until) { return row_of(scheme()).limit(horizon_.ticks, until); };
    const std::uint64_t last = limit_of({INT64_MAX}) - 1;  // of the layout; no tenure allows more
    const auto is_enough = [&](core::UnixNanos until) { return limit_of(until) > std::min(position, last); };
    return std::min(horizon, await_tenure(if_busy == IfBusy::wait ? Patience::some : Patience::none, is_enough));
}

// Raises an error if the clock has leapt, or returns false if the caller gives up.
bool BackendGenerator::believes_clock(IfBusy if_busy) const {
    const core::ClockReport report = believe_clock();
    if (report.step != core::ClockStep::leap) return true;
    if (if_busy == IfBusy::give_up) return false;
    count_refusal("the clock has leapt");
    raise_leap(report.by_ns);
}

void BackendGenerator::wait_until(core::UnixNanos due, bool is_ahead) const {
    const core::UnixNanos now = pg::wall_clock();
    std::int64_t left = due.value - now.value;
    if (left <= 0) return;
    const std::int64_t began = pg::monotonic_ns(), deadline = began + left;
    if (is_ahead && now.value >= behind_until_ns(*slot_)) begin_overflow(*slot_);
    while (left > 0) {
        sleep_slice(std::min(left, core::kLongestSliceNs));
        left = std::min(due.value - pg::wall_clock().value, deadline - pg::monotonic_ns());
    }
    end_overflow();
    count(slot_->counters.waits);
    count(slot_->counters.wait_ns, pg::monotonic_ns() - began);
}

// The current user may be a different one from before.
void BackendGenerator::require_usage() const { require_grant(name_.text, granted_to_); }

void BackendGenerator::count_refusal(const char *why) const { server::count_refusal(*slot_, why); }

}  // namespace snowid::server
