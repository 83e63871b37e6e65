#include "server/generator/backend_generator.hpp"

#include <algorithm>

#include "pg/clock.hpp"
#include "pg/error.hpp"
#include "server/base/changes.hpp"
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
#include "access/xact.h"
#include "miscadmin.h"
#include "storage/ipc.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"
}

namespace snowid::server {
namespace {

constinit BackendGenerator *generators = nullptr;

struct NameKey {
    char name[NAMEDATALEN];
    Scheme scheme;
};

struct Named {
    NameKey key;
    BackendGenerator *generator;
};

constinit HTAB *by_name = nullptr;

HTAB *make_names() {
    HASHCTL control{};
    control.keysize = sizeof(NameKey);
    control.entrysize = sizeof(Named);
    control.hcxt = TopMemoryContext;
    return hash_create("snowid generators", 16, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
}

// REQUIRES: a name shorter than NAMEDATALEN.
NameKey key_of(Scheme scheme, std::string_view name) {
    NameKey key;
    std::memset(&key, 0, sizeof key);
    name.copy(key.name, name.size());
    key.scheme = scheme;
    return key;
}

void add_to_list(BackendGenerator &made) {
    if (made.is_listed) return;
    made.is_listed = true;
    made.next_listed = generators;
    generators = &made;
}

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

// REQUIRES: all issued ids are counted. Returns whether it left any slot.
bool leave_unused() {
    bool any = false;
    for (BackendGenerator *g = generators; g != nullptr; g = g->next_listed) any |= g->leave_if_unused();
    return any;
}

bool is_end(XactEvent event) {
    return event != XACT_EVENT_PRE_COMMIT && event != XACT_EVENT_PARALLEL_PRE_COMMIT && event != XACT_EVENT_PRE_PREPARE;
}

// At the end of a transaction, no generator is in the middle of using its slot. So generators that have forgotten what
// they worked out leave their slots.
void end_transaction(XactEvent event, void *) {
    end_overflow();
    count_all_issued();
    for (BackendGenerator *g = generators; g != nullptr; g = g->next_listed) {
        g->forget_if_uncommitted();
        if (!g->is_default() && !g->is_ready()) g->leave();
    }
    if (!is_end(event)) return;
    if (is_crowded()) leave_unused();
    for (BackendGenerator *g = generators; g != nullptr; g = g->next_listed) g->begin_transaction();
}

void leave_all(int, Datum) {
    end_overflow();
    for (BackendGenerator *g = generators; g != nullptr; g = g->next_listed)
        if (!g->is_default()) g->leave();
}

void watch_for_changes() {
    static constinit bool watching = false;
    if (watching) return;
    on_change(forget_all);
    RegisterXactCallback(end_transaction, nullptr);
    before_shmem_exit(leave_all, Datum{0});
    watching = true;
}

}  // namespace

void forget_all() noexcept {
    for (BackendGenerator *g = generators; g != nullptr; g = g->next_listed) g->forget();
}

void count_all_issued() noexcept {
    for (BackendGenerator *g = generators; g != nullptr; g = g->next_listed) g->count_issued();
}

BackendGenerator *find_named(Scheme scheme, std::string_view name) {
    if (by_name == nullptr || name.size() >= NAMEDATALEN) return nullptr;
    const NameKey key = key_of(scheme, name);
    auto *named = static_cast<Named *>(hash_search(by_name, &key, HASH_FIND, nullptr));
    return named == nullptr ? nullptr : named->generator;
}

void add_named(BackendGenerator &made, std::string_view name) {
    if (by_name == nullptr) by_name = make_names();
    const NameKey key = key_of(made.scheme(), name);
    static_cast<Named *>(hash_search(by_name, &key, HASH_ENTER, nullptr))->generator = &made;
    add_to_list(made);
}

void *memory_for_named(Scheme scheme, std::string_view name, std::size_t size) {
    await_start();
    require_scheme(require_record(name), scheme);
    return MemoryContextAlloc(TopMemoryContext, size);
}

BackendGenerator::BackendGenerator(Scheme scheme, std::string_view name) noexcept : scheme_(scheme) {
    name_size_ = name.copy(name_, sizeof name_ - 1);
}

void BackendGenerator::attach_default() {
    watch_for_changes();
    add_to_list(*this);
    horizon_ = default_horizon(scheme_);
    slot_ = horizon_.slot;
    lock_slots(false);
    version_ = slot_->version.load();
    unlock_slots();
    require_committed_records();
}

GeneratorRecord BackendGenerator::attach_named(For purpose) {
    watch_for_changes();
    for (;;) {
        leave();
        const std::uint64_t changes = slot_changes();
        const GeneratorRecord record = require_record({name_, name_size_});
        require_scheme(record, scheme_);
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
    if (!read_horizon(record.id, row)) raise_horizon_missing();
    const core::UsedUp begin = used_with_lost(record, row);
    const SlotStart start{begin, last_given_us(begin.horizon), row.server == 0};
    const UsedSlot used = use_slot(record.key(), record.info(), changes, start);
    slot_ = used.slot;
    version_ = used.version;
    if (used.room != Room::found) {
        count_all_issued();
        if (!leave_unused()) raise_no_room(used.room, scheme_);
    }
    if (slot_ == nullptr || slot_changes() != used.changes) return false;
    horizon_ = {record.id, scheme_, slot_, record.ticks(), {}};
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

void BackendGenerator::leave() noexcept {
    forget();
    if (slot_ == nullptr) return;
    count_issued();
    if (!is_default()) leave_slot(*slot_);
    slot_ = nullptr;
}

bool BackendGenerator::leave_if_unused() noexcept {
    if (is_default() || slot_ == nullptr || is_used_ || is_uncommitted_) return false;
    leave();
    return true;
}

void BackendGenerator::count_issued() noexcept {
    if (issued_ == 0) return;
    is_used_ = true;
    count(slot_->counters.issued, issued_);
    issued_ = 0;
}

void BackendGenerator::extend(std::uint64_t position, std::uint64_t seen, IfBusy if_busy) {
    const core::UnixNanos now = pg::wall_clock();  // read before the clock is judged, because it may leap in between
    if (!believes_clock(if_busy)) {
        leave_tick();
        return limit_.ask_at_the_end();
    }
    if (!is_default()) raise_together(*slot_, now);
    extend_from(now, settings.reserve_ns(), position, seen, if_busy);
}

void BackendGenerator::extend_from(core::UnixNanos now, std::int64_t reserve_ns, std::uint64_t position,
                                   std::uint64_t seen, IfBusy if_busy) {
    const SchemeRow &scheme = row_of(scheme_);
    count_issued();
    leave_tick();
    limit_.ask_at_the_end();
    const core::HorizonGoal goal = scheme.goal(horizon_.ticks, now, position, reserve_ns);
    core::UnixNanos horizon{0};
    if (!raise_horizon(horizon_, seen, goal, if_busy, horizon) || horizon.value == 0 || !ready_) return;
    if (is_uncommitted_) cover_by_server(scheme_, horizon);
    limit_.raise(scheme.limit(horizon_.ticks, within_tenure(horizon, position, if_busy)), position);
}

// The earlier of the durable horizon and the end of the server's tenure.
core::UnixNanos BackendGenerator::within_tenure(core::UnixNanos horizon, std::uint64_t position, IfBusy if_busy) const {
    if (!follows_server_) return horizon;
    const auto limit_of = [&](core::UnixNanos until) { return row_of(scheme_).limit(horizon_.ticks, until); };
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
void BackendGenerator::require_usage() const { require_grant(name_, granted_to_); }

void BackendGenerator::count_refusal(const char *why) const { server::count_refusal(*slot_, why); }

}  // namespace snowid::server
