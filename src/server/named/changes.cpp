#include "server/named/changes.hpp"

#include "pg/error.hpp"
#include "server/durable/await_start.hpp"
#include "server/durable/rows.hpp"
#include "server/durable/tables.hpp"
#include "server/named/claims.hpp"
#include "server/named/grants.hpp"
#include "server/number/slots.hpp"

extern "C" {
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "miscadmin.h"
#include "utils/rel.h"
}

namespace snowid::server {
namespace {

void require_new_name(const GeneratorRecord &record) {
    GeneratorRecord other{};
    if (find_record(record.name, other))
        ereport(ERROR, (errcode(ERRCODE_DUPLICATE_OBJECT), errmsg("generator \"%s\" already exists", record.name)));
}

ItemPointerData place_of(const GeneratorRecord &record) {
    ItemPointerData tid;
    ItemPointerSetInvalid(&tid);
    records_with_id(record.id, [&](const GeneratorRecord &candidate, HeapTuple tuple) {
        if (candidate.has_name()) tid = tuple->t_self;
    });
    return tid;
}

HeapTuple tuple_of(Relation table, const GeneratorRecord &record) {
    Datum values[kTableColumns] = {};
    bool nulls[kTableColumns] = {};
    put_row(record, values, nulls);
    return row_of_columns(table, values, nulls);
}

void insert_record(const GeneratorRecord &record) {
    Relation table = open_records(RowExclusiveLock);
    insert_row(table, tuple_of(table, record));
    close_changed(table);
}

void update_record(const GeneratorRecord &before, const GeneratorRecord &after) {
    ItemPointerData row = place_of(before);
    Relation table = open_records(RowExclusiveLock);
    update_row(table, &row, tuple_of(table, after));
    close_changed(table);
}

void delete_record(const GeneratorRecord &record) {
    ItemPointerData row = place_of(record);
    Relation table = open_records(RowExclusiveLock);
    CatalogTupleDelete(table, &row);
    close_changed(table);
}

bool has_records(std::int64_t id) {
    bool any = false;
    records_with_id(id, [&any](const GeneratorRecord &, HeapTuple) { any = true; });
    return any;
}

const char *shown(AclMode privilege) {
    if (privilege == ACL_INSERT) return "INSERT";
    return privilege == ACL_UPDATE ? "UPDATE" : "DELETE";
}

bool is_same_claim(const GeneratorRecord &a, const GeneratorRecord &b) {
    return claims_the_same(a, b) && a.overlap == b.overlap && a.backfill == b.backfill;
}

// Removes the claim, and adds the ids made under it to the horizon of another claim, whose id may have belonged to a
// generator of snos.
void fold(const GeneratorRecord &claim, ItemPointerData row, const GeneratorRecord &into) {
    Relation table = open_records(RowExclusiveLock);
    CatalogTupleDelete(table, &row);
    close_changed(table);
    if (claim.id == into.id) return;
    GeneratorHorizon horizon{into.id, into.scheme, nullptr, {}, {}};
    if (HorizonRow made{}; read_horizon(claim.id, made)) cover_horizon(horizon, made.used_up().with_either_bit());
    if (!has_records(claim.id)) delete_horizon_rows(claim.id);
}

void require_pages_of_records() {
    Relation table = open_records(RowExclusiveLock);
    require_pages(table, kMostGeneratorPages);
    table_close(table, NoLock);
}

template <typename Add>
void add_within_limits(Add add) {
    require_pages_of_records();
    add();
    Relation table = open_records(RowExclusiveLock);
    require_few_generators(table);
    table_close(table, NoLock);
}

// However often a claim is given up, one row for it is enough, the last. A row with a higher id stays, because it may
// be the highest one.
void insert_given_up(const GeneratorRecord &claim) {
    records_with_number(claim.scheme, claim.*scheme_row(claim.scheme).number, Which::given_up,
                        [&](const GeneratorRecord &other, HeapTuple tuple) {
                            if (other.has_name() || other.id > claim.id || !is_same_claim(claim, other)) return;
                            fold(other, tuple->t_self, claim);
                        });
    insert_record(claim);
}

}  // namespace

bool claims_the_same(const GeneratorRecord &a, const GeneratorRecord &b) {
    return a.layout_in_force() == b.layout_in_force() && a.worker == b.worker && a.partition == b.partition &&
           a.sequences() == b.sequences();
}

void begin_by_layout(core::UnixNanos from) {
    const Claims claims = read_claims();
    for (const ClaimOfRecord &claim : claims) {
        const GeneratorRecord &record = claim.record;
        if (HorizonRow row{}; !scheme_row(record.scheme).has_layout || !read_horizon(record.id, row)) continue;
        const core::UnixNanos end = record.has_name() ? end_of_meeting(claim, claims) : core::UnixNanos{0};
        GeneratorHorizon horizon{record.id, record.scheme, nullptr, {}, {}};
        cover_horizon(horizon, core::UsedUp::all_before(std::max(from, end)));
    }
}

void require_privilege(AclMode privilege) {
    await_start();
    Relation table = open_extension_table(&ExtensionTables::generator, AccessShareLock);
    const AclResult allowed = pg_class_aclcheck(RelationGetRelid(table), GetUserId(), privilege);
    if (allowed != ACLCHECK_OK)
        ereport(ERROR,
                (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), errmsg("permission denied for table _snowid.generator"),
                 errhint("A role that can grant privileges on the table can run: GRANT %s ON _snowid.generator TO %s;",
                         shown(privilege), pg::quoted_user())));
    table_close(table, NoLock);
}

void begin_change(FunctionCallInfo fcinfo, AclMode privilege) {
    pg::require_writable(fcinfo);
    require_privilege(privilege);
    table_close(open_extension_table(&ExtensionTables::generator, ShareRowExclusiveLock), NoLock);
}

void create_generator(GeneratorRecord record, HorizonRow state) {
    require_new_name(record);
    record.id = last_record_id() + 1;
    check_record(record);
    require_own_claim(record);
    state.generator = record.id;
    if (!record.backfill && state.used_up() != core::UsedUp{})
        raise_floor(state.generator, state.used_up());  // of a snapshot
    state.set(core::merged(state.used_up(), core::UsedUp::all_before(end_of_past_claims(record))));
    if (record.backfill) restrict_to_current_user(record);
    add_horizon_row(state);
    add_within_limits([&] { insert_record(record); });
    add_pending_change(PendingChange::free_at_abort, record.key());
}

void alter_generator(const GeneratorRecord &before, const GeneratorRecord &after) {
    const bool is_renamed = std::strcmp(before.name, after.name) != 0;
    if (is_renamed) require_new_name(after);
    check_record(after);
    const bool claims_other = !claims_the_same(before, after) || before.overlap != after.overlap;
    if (claims_other) require_own_claim(after);
    require_pages_of_records();
    update_record(before, after);
    if (is_renamed) rename_uses(before.name, after.name);
    if (is_renamed) rename_grants(before.name, after.name);
    if (claims_other) {
        add_within_limits([&] { insert_given_up(given_up(before)); });
        skip_past(after, core::UsedUp::all_before(end_of_past_claims(after)));
    }
    add_pending_change(claims_other ? PendingChange::new_claim_at_commit : PendingChange::look_again_at_commit,
                       after.key());
}

void drop_generator(const GeneratorRecord &record) {
    require_unused(record.name);
    delete_record(record);
    drop_grants(record.name);
    insert_given_up(given_up(record));
    add_pending_change(PendingChange::free_at_commit, record.key());
}

void change_grants(GeneratorRecord record, ChangeGrants change, const char *role) {
    const GeneratorRecord before = record;
    if (!change(record, role)) return;
    if (record.restricted != before.restricted) return alter_generator(before, record);
    add_pending_change(PendingChange::look_again_at_commit, record.key());
}

void skip_past(const GeneratorRecord &record, const core::UsedUp &used) {
    const core::Ticks ticks = record.ticks();
    change_slot(record.key(), [&](Slot &slot) {
        scheme_row(record.scheme).skip_past(slot, ticks, used);
        advance_to(slot.given_us, last_given_us(used.horizon));
    });
    GeneratorHorizon horizon{record.id, record.scheme, nullptr, ticks, {}};
    cover_horizon(horizon, used);
}

bool accept_generator(const GeneratorRecord &record) {
    table_close(open_extension_table(&ExtensionTables::horizon, ExclusiveLock), NoLock);
    HorizonRow row{};
    if (!read_horizon(record.id, row)) raise_horizon_missing();
    if (!is_cut_off(record, row)) return false;
    change_horizon_rows(record.id, [](HorizonRow &each) {
        each.timeline = this_history().word;
        return true;
    });
    end_numbers(record.key(), true);  // its slot begins above all that it can have made
    return true;
}

void rewind_generator(const GeneratorRecord &record, core::UnixNanos to) {
    table_close(open_extension_table(&ExtensionTables::horizon, ExclusiveLock), NoLock);
    lower_horizon(record.id, to);
    end_numbers(record.key(), false);  // a backend that read the row before this looks again
    const SlotInfo info = record.info();
    change_slot(record.key(), [&](Slot &slot) {
        end_number(slot);
        rewind_number(slot, info, to);
        slot.given_us.store(core::to_micros(to).value);
    });
}

}  // namespace snowid::server
