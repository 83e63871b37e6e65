#include "server/generator_claims.hpp"

#include "server/horizon.hpp"
#include "server/layout_record.hpp"
#include "server/settings.hpp"
#include "server/shmem.hpp"

extern "C" {
#include "miscadmin.h"
}

namespace snowid::server {
namespace {

[[noreturn]] void raise_overlap(const GeneratorRecord &record, const char *other) {
    ereport(
        ERROR,
        (errcode(ERRCODE_DUPLICATE_OBJECT),
         errmsg("generator \"%s\" could make the same ids as %s", record.name, other),
         record.scheme == Scheme::sno
             ? errdetail("It has partition %u, and its partition and sequence numbers overlap with the other's.",
                         record.partition_in_force())
             : errdetail("It has worker %u, and its worker and sequence numbers overlap with the other's.",
                         record.worker_in_force()),
         errhint("Give it numbers of its own, or overlap => true if its ids never meet the other's in one table.")));
}

[[noreturn]] void raise_unsettled(const GeneratorRecord &record) {
    ereport(ERROR,
            (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
             errmsg("generator \"%s\" could make the same ids as one that this transaction has changed or dropped",
                    record.name),
             errdetail("Until the transaction is committed other sessions make ids by what that one was."),
             errhint("Commit the transaction first.")));
}

bool same_time(const core::Layout &a, const core::Layout &b) {
    return a.epoch == b.epoch && a.tick_us == b.tick_us && a.time() == b.time();
}

bool meets(const GeneratorRecord &record, const GeneratorRecord &other) {
    if (record.scheme != other.scheme) return false;
    // Ids from before a change of the database's layout are not to be told apart by what they claim.
    if (record.scheme == Scheme::snowflake && !same_time(record.layout_in_force(), other.layout_in_force()))
        return true;
    return core::overlap(record.claim(), other.claim());
}

// What follows the server may have had any worker or partition: whoever claims one goes on above it, which is hardly
// ever ahead of the clock. A generator of given times cannot: its worker must be one that no server has had.
core::UnixNanos end_of_followers(Scheme scheme) {
    const Slot &own = shared->default_slot(scheme);
    core::UnixNanos end{std::max(shared->abandoned_ns.load(), end_of_ids(own, default_info(scheme)).value)};
    lock_slots(false);
    see_slots([&](const Slot &slot) {
        if (slot.info.follows_server && slot.info.scheme == scheme && !slot.info.backfill)
            end = std::max(end, end_of_ids(slot, slot.info));
    });
    unlock_slots();
    return end;
}

}  // namespace

void require_own_claim(const GeneratorRecord &record) {
    if (record.overlap) return;
    const bool in_use = record.scheme == Scheme::sno || recorded_layout() == settings.layout;
    if (in_use && core::overlap(record.claim(), claim_of(default_info(record.scheme))))
        raise_overlap(record, "the default generator of this server");
    // of another extension that this one replaces
    if (claims_end_at_commit({MyDatabaseId, InvalidOid, 0}) &&
        !claims_end_at_commit({MyDatabaseId, record.key().table, 0}))
        raise_unsettled(record);
    each_record([&](const GeneratorRecord &other, HeapTuple) {
        if (other.id == record.id || !meets(record, other)) return;
        if (other.name[0] != '\0') raise_overlap(record, psprintf("generator \"%s\"", other.name));
        if (claims_end_at_commit(other.key())) raise_unsettled(record);
    });
}

core::UnixNanos end_of_past_claims(const GeneratorRecord &record) {
    core::UnixNanos end{0};
    each_record([&](const GeneratorRecord &other, HeapTuple) {
        HorizonRow row{};
        if (other.name[0] != '\0' || other.id == record.id || !meets(record, other)) return;
        if (read_horizon(other.id, row))
            end = std::max(end, record.scheme == Scheme::sno ? end_of(row.used_up()) : core::UnixNanos{row.horizon_ns});
    });
    if (!record.backfill) end = std::max(end, end_of_followers(record.scheme));
    return end;
}

GeneratorRecord claim_of_the_past(GeneratorRecord record) {
    record.name[0] = '\0';
    const core::SequenceRange sequences = record.sequences();
    record.sequence_min = static_cast<std::uint32_t>(sequences.min);
    record.sequence_max = static_cast<std::uint32_t>(sequences.max);
    if (record.scheme == Scheme::sno) {
        record.partition = record.partition_in_force();
    } else {
        record.worker = record.worker_in_force();
        record.layout = record.layout_in_force();
    }
    return record;
}

}  // namespace snowid::server
