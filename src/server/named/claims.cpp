#include "server/named/claims.hpp"

#include "pg/error.hpp"
#include "server/durable/horizon.hpp"
#include "server/durable/layout_record.hpp"
#include "server/number/directory_numbers.hpp"
#include "server/number/server_number.hpp"
#include "server/number/slots.hpp"
#include "server/shared/shared.hpp"

extern "C" {
#include "miscadmin.h"
}

namespace snowid::server {
namespace {

[[noreturn]] void raise_overlap(const GeneratorRecord &record, const char *other) {
    const char *number = scheme_row(record.scheme).number_name;
    ereport(
        ERROR,
        (errcode(ERRCODE_DUPLICATE_OBJECT),
         errmsg("generator \"%s\" could make the same ids as %s", record.name, other),
         errdetail("It has %s %u, and its %s and sequence numbers overlap with the other's.", number,
                   record.number_in_force(), number),
         errhint("Give it numbers of its own, or overlap => true if its ids never meet the other's in one table.")));
}

[[noreturn]] void raise_unsettled(const GeneratorRecord &record) {
    ereport(ERROR,
            (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
             errmsg("generator \"%s\" could make the same ids as one that this transaction has changed or dropped",
                    record.name),
             errdetail("Until the transaction commits, other sessions use that generator as it was."),
             errhint("Commit the transaction first.")));
}

[[noreturn]] void raise_lost(const GeneratorRecord &record) {
    const char *number = scheme_row(record.scheme).number_name;
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("generator \"%s\" could make the same ids as one whose last ids may be lost", record.name),
                    errdetail("That one had %s %u too, and made ids of the future before a restore or a failover.",
                              number, record.number_in_force()),
                    errhint("Give it another %s.", number)));
}

bool clashes_with_server(const SlotInfo &info) {
    if (!info.is_apart || !info.follows_server) return takes_number_of_server(info);
    return could_meet(info, server_info(info.scheme, info.number));
}

// Calls `see` with every record that may meet this one. With the database's layout, only records with the same number
// meet, and a record without a number has the server's.
void each_record_near(const GeneratorRecord &record, Which which, SeeRecord see) {
    const bool has_layout = scheme_row(record.scheme).has_layout;
    if (has_layout && (record.layout || has_other_layouts(recorded_layout()))) return each_record(see);
    records_with_number(record.scheme, record.number_in_force(), which, see);
    records_with_number(record.scheme, std::nullopt, which, see);
}

}  // namespace

bool meets(const SlotInfo &info, const SlotInfo &other) {
    return info.scheme == other.scheme &&
           (!info.layout.same_time_as(other.layout) || core::overlap(claim_of(info), claim_of(other)));
}

void require_own_claim(const GeneratorRecord &record) {
    const SlotInfo info = record.info();
    require_configured_number(info);
    if (record.overlap) return;
    if (clashes_with_server(info)) raise_overlap(record, "the default generator of this server");
    // This transaction has dropped the extension and created it again, and the claims of the dropped one still count.
    if (claims_end_at_commit({MyDatabaseId, InvalidOid, 0}) &&
        !claims_end_at_commit({MyDatabaseId, record.key().table, 0}))
        raise_unsettled(record);
    each_record_near(record, Which::all, [&](const GeneratorRecord &other, HeapTuple) {
        if (other.id == record.id || !meets(info, other.info())) return;
        if (other.has_name()) raise_overlap(record, psprintf("generator \"%s\"", other.name));
        if (claims_end_at_commit(other.key())) raise_unsettled(record);
    });
}

// A generator that follows the server may have had any number, so a new number begins above all of those generators.
// That is hardly ever ahead of the clock. A backfill generator cannot begin there, so its number must be one that no
// server has had. What a restore or a failover has lost of a past claim counts too, if given times are involved: clocks
// do not keep the two apart.
core::UnixNanos end_of_past_claims(const GeneratorRecord &record) {
    core::UnixNanos end{0};
    const SlotInfo info = record.info();
    each_record_near(record, Which::given_up, [&](const GeneratorRecord &other, HeapTuple) {
        HorizonRow row{};
        if (other.has_name() || other.id == record.id || !meets(info, other.info())) return;
        if (!read_horizon(other.id, row)) return;
        end = std::max(end, scheme_row(record.scheme).first_time_after(row.used_up()));
        if (!(record.backfill || other.backfill) || goes_on(row.history())) return;
        if (other.future) raise_lost(record);
        end = std::max(end, end_of_given_times(record.ticks()));
    });
    if (record.backfill) return end;
    lock_slots(LW_SHARED);
    end = std::max(end, first_free_time(info, true));
    unlock_slots();
    return end;
}

Claims read_claims() {
    ClaimOfRecord *claims = nullptr;
    std::size_t count = 0, room = 0;
    each_record([&](const GeneratorRecord &record, HeapTuple) {
        if (count == room) {
            room = room == 0 ? 16 : 2 * room;
            const Size size = room * sizeof(ClaimOfRecord);
            claims = static_cast<ClaimOfRecord *>(claims == nullptr ? palloc(size) : repalloc_huge(claims, size));
        }
        claims[count++] = {record, record.info()};
    });
    return {claims, count};
}

core::UnixNanos end_of_meeting(const ClaimOfRecord &claim, Claims all) {
    core::UnixNanos end{0};
    for (const ClaimOfRecord &other : all) {
        CHECK_FOR_INTERRUPTS();
        const bool is_same = other.record.id == claim.record.id && other.record.has_name();
        if (is_same || claim.record.overlap || other.record.overlap || claim.info.scheme != other.info.scheme ||
            !could_meet(claim.info, other.info))
            continue;
        if (other.record.has_name()) raise_overlap(claim.record, psprintf("generator \"%s\"", other.record.name));
        if (HorizonRow row{}; read_horizon(other.record.id, row))
            end = std::max(end, scheme_row(claim.info.scheme).first_time_after(row.used_up()));
    }
    lock_slots(LW_SHARED);
    end = std::max(end, first_free_time(claim.info, true));
    unlock_slots();
    return end;
}

GeneratorRecord given_up(GeneratorRecord record) {
    const SchemeRow &row = scheme_row(record.scheme);
    record.name[0] = '\0';
    record.restricted = false;
    HorizonRow horizon{};
    record.future = record.future && read_horizon(record.id, horizon) && is_cut_off(record, horizon);
    const core::SequenceRange sequences = record.sequences();
    record.sequence_min = static_cast<std::uint32_t>(sequences.min);
    record.sequence_max = static_cast<std::uint32_t>(sequences.max);
    record.*row.number = record.number_in_force();
    if (row.has_layout) record.layout = record.layout_in_force();
    return record;
}

bool is_cut_off(const GeneratorRecord &record, const HorizonRow &row) {
    return record.backfill && !goes_on(row.history());
}

void require_all_ids(const GeneratorRecord &record, const HorizonRow &row) {
    if (!is_cut_off(record, row)) return;
    raise_cut_off(record.name, {row.horizon_ns},
                  record.future ? core::UnixNanos{0} : end_of_given_times(record.ticks()));
}

core::UsedUp used_with_lost(const GeneratorRecord &record, const HorizonRow &row) {
    if (record.future) require_all_ids(record, row);
    if (!is_cut_off(record, row)) return row.used_up();
    return core::merged(row.used_up(), core::UsedUp::all_before(end_of_given_times(record.ticks())));
}

void raise_cut_off(const char *name, core::UnixNanos known, core::UnixNanos from) {
    const char *rest = from.value == 0 ? "It may have been given any time."
                                       : psprintf("It makes ids of times from %s on.", pg::shown_time(from));
    ereport(
        ERROR,
        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
         errmsg("the last ids of generator \"%s\" may be lost", name),
         errdetail("After a restore or a failover, this server knows %s. %s",
                   known.value == 0 ? "none of them" : psprintf("only those before %s", pg::shown_time(known)), rest),
         errhint("Make another generator, with another number, for such times. If it is certain that nothing was "
                 "lost, run: SELECT snowid_generator_accept('%s');",
                 name)));
}

}  // namespace snowid::server
