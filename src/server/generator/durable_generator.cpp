#include "server/generator/durable_generator.hpp"

#include "server/named/claims.hpp"
#include "server/named/grants.hpp"
#include "server/number/slots.hpp"
#include "server/shared/shared.hpp"

extern "C" {
#include "commands/extension.h"
#include "miscadmin.h"
#include "utils/memutils.h"
}

namespace snowid::server {
namespace {

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

// With Citus, a database is one of several whose rows end up in the same tables. Servers without their own number would
// all make the same ids there.
void require_chosen_number(Scheme scheme) {
    if (shared->number(scheme).is_set.load() || !OidIsValid(get_extension_oid("citus", true))) return;
    const SchemeRow &row = scheme_row(scheme);
    ereport(
        ERROR,
        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
         errmsg("no %s is set, but this database is one of several", row.number_title),
         errdetail("The extension citus is in this database. Without a %s of its own, each of its servers would "
                   "make the same ids.",
                   row.number_title),
         errhint("Set %s to a number that no other server has, in postgresql.conf, and reload.", row.number_setting)));
}

}  // namespace

void DurableGenerator::attach_default() {
    list_generator(*this);
    const GeneratorHorizon horizon = default_horizon(scheme());
    slot_ = horizon.slot;
    lock_slots(LW_SHARED);
    version_ = slot_->version.load();
    unlock_slots();
    require_committed_records();
    reserve_.begin(horizon, true, false);
    require_chosen_number(scheme());
}

GeneratorRecord DurableGenerator::attach_named(For purpose) {
    take_part();
    for (;;) {
        leave();
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

bool DurableGenerator::attach(const GeneratorRecord &record, std::uint64_t changes) {
    HorizonRow row{};
    RowPlace place;
    if (!read_horizon(record.id, row, place)) raise_horizon_missing();
    const SlotInfo info = record.info();
    const core::UsedUp begin = used_with_lost(record, row);
    const SlotStart start{begin, last_given_us(begin.horizon), row.server == 0};
    const UsedSlot used = use_slot(record.key(), info, changes, start);
    slot_ = used.slot;
    version_ = used.version;
    if (used.room != Room::found && !leave_unused()) raise_no_room(used.room, scheme());
    if (slot_ == nullptr || slot_changes() != used.changes) return false;
    is_uncommitted_ = record.is_of_this_transaction;
    if (is_uncommitted_) add_pending_change(PendingChange::free_at_abort, record.key());  // SQL may have added it
    given_.begin(name_.text, record, row);
    asks_first_ = given_.are_given() || granted_to_ != nullptr;
    reserve_.begin({record.id, scheme(), slot_, record.ticks(), place}, info.follows_server, is_uncommitted_);
    if (info.follows_server) require_chosen_number(scheme());
    return true;
}

void DurableGenerator::keep_grants(const ArrayType *granted_to) {
    if (granted_to_ != nullptr) pfree(granted_to_);
    granted_to_ = nullptr;
    if (granted_to == nullptr) return;
    granted_to_ = static_cast<ArrayType *>(MemoryContextAlloc(TopMemoryContext, VARSIZE(granted_to)));
    std::memcpy(granted_to_, granted_to, VARSIZE(granted_to));
}

void DurableGenerator::extend(const WantedPosition &wanted, IfBusy if_busy) {
    leave_tick();
    reserve_.extend(wanted, if_busy);
}

void DurableGenerator::extend_given(core::UnixNanos given, const WantedPosition &wanted) {
    leave_tick();
    const core::HorizonGoal goal = reserve_.goal(given, wanted.end, given_.next_reserve_ns(*slot_, given));
    given_.keep_near_clock(*slot_, reserve_.ticks(), goal.target);
    reserve_.extend_to(goal, wanted, IfBusy::wait);
    given_.note_durable();
}

void DurableGenerator::require_ids_of_now() const {
    require_usage();
    given_.refuse(scheme());
}

void DurableGenerator::require_ids_of_given_times() const {
    require_usage();
    given_.require();
}

void DurableGenerator::require_usage() const { require_grant(name_.text, granted_to_); }

}  // namespace snowid::server
