// Triggers of the extension's tables. They let a restore through, and keep out what does not belong here: rows of
// another server's tables that arrive by logical replication, and a second generator with the same id or number.
#include "pg/error.hpp"
#include "pg/type/arguments.hpp"
#include "server/durable/horizon.hpp"
#include "server/durable/layout_record.hpp"
#include "server/durable/own_trigger.hpp"
#include "server/durable/rows.hpp"
#include "server/named/claims.hpp"
#include "server/named/generator_record.hpp"
#include "server/named/grants.hpp"
#include "server/number/number.hpp"
#include "server/shared/settings.hpp"

extern "C" {
#include "access/htup_details.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
}

using namespace snowid::core;
using namespace snowid::pg;
using namespace snowid::server;

namespace {

// A row of _snowid.generator as it is. It may not be a record that can make ids.
struct Row {
    Datum values[kTableColumns];
    bool nulls[kTableColumns];

    std::int64_t id() const { return DatumGetInt64(values[kIdColumn]); }
    bool has_name() const { return !nulls[kNameColumn]; }
    const char *name() const { return TextDatumGetCString(values[kNameColumn]); }
    ScanKeyData key(int column, RegProcedure equal) const {
        return key_for(static_cast<AttrNumber>(column + 1), equal, nulls[column], values[column]);
    }
    bool overlaps() const { return DatumGetBool(values[kOverlapColumn]); }
    std::int64_t first_sequence() const { return nulls[kMinColumn] ? 0 : DatumGetInt32(values[kMinColumn]); }
    std::int64_t last_sequence() const { return nulls[kMaxColumn] ? INT64_MAX : DatumGetInt32(values[kMaxColumn]); }
};

Row read_row(TupleDesc columns, HeapTuple tuple) {
    Row row{};
    first_columns(tuple, columns, row.values, row.nulls);
    return row;
}

bool have_same(int i, TupleDesc columns, const Row &a, const Row &b) {
    if (a.nulls[i] || b.nulls[i]) return a.nulls[i] && b.nulls[i];
    const auto *column = TupleDescAttr(columns, i);
    return datum_image_eq(a.values[i], b.values[i], column->attbyval, column->attlen);
}

bool is_same(TupleDesc columns, const Row &a, const Row &b) {
    for (int i = 0; i < kRecordColumns; ++i)
        if (!have_same(i, columns, a, b)) return false;
    return true;
}

// Goes by the rows alone, because a restore may bring the database's layout later. A past claim always names its
// layout.
bool could_meet(TupleDesc columns, const Row &a, const Row &b) {
    for (const int i : {kSchemeColumn, kWorkerColumn, kPartitionColumn})
        if (!have_same(i, columns, a, b)) return false;
    const bool is_open = !(a.has_name() && b.has_name()) && (a.nulls[kLayoutColumn] || b.nulls[kLayoutColumn]);
    if (!is_open && !have_same(kLayoutColumn, columns, a, b)) return false;
    return a.first_sequence() <= b.last_sequence() && b.first_sequence() <= a.last_sequence();
}

const char *described(const Row &added, const Row &other) {
    if (std::strcmp(added.name(), other.name()) == 0)
        return psprintf("Generator \"%s\" is here with the id " INT64_FORMAT " and other numbers.", other.name(),
                        other.id());
    return psprintf("Generator \"%s\" has the id " INT64_FORMAT
                    " here. With the same id, \"%s\" would share its "
                    "horizon and its past claims.",
                    other.name(), other.id(), added.name());
}

// The same whatever the layouts: with another one, another number can be the same bits.
bool meets_now(const Row &a, const Row &b) {
    GeneratorRecord added{}, other{};
    if (!try_record_of(a.values, a.nulls, added) || !try_record_of(b.values, b.nulls, other)) return false;
    const Layout &recorded = recorded_layout_or(settings.layout);
    const SlotInfo of_added = added.info_in(recorded), of_other = other.info_in(recorded);
    // A generator from before a change of the database's layout may be beside one that has its times in another place.
    if (other.has_name() && !of_added.layout.same_time_as(of_other.layout)) return false;
    return meets(of_added, of_other);
}

// Whether a restore can no longer bring a layout for one of them.
bool have_layouts(const Row &added, const Row &other, HeapTuple of_other) {
    const bool was_here = !TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetXmin(of_other->t_data));
    return was_here || !other.has_name() || !(added.nulls[kLayoutColumn] || other.nulls[kLayoutColumn]);
}

[[noreturn]] void raise_taken(const Row &added, const Row &other) {
    ereport(ERROR, (errcode(ERRCODE_UNIQUE_VIOLATION),
                    errmsg("generator \"%s\" has the id of another generator of this database", added.name()),
                    errdetail("%s", described(added, other)),
                    errhint("Take a snapshot of \"%s\" in its own database, with snowid_generator_snapshot, and "
                            "restore it here with snowid_generator_restore.",
                            added.name())));
}

[[noreturn]] void raise_meeting(const Row &added, const Row &other, const char *why) {
    ereport(ERROR,
            (errcode(ERRCODE_UNIQUE_VIOLATION),
             errmsg("generator \"%s\" could make the same ids as generator \"%s\"", added.name(), other.name()),
             errdetail("%s", why),
             errhint("Give \"%s\" another number with snowid_generator_alter, and restore again.", other.name())));
}

// Whether the row is here already. Raises an error if its id belongs to a different named generator. Rows without a
// name are past claims, which share the id of the generator that gave them up. Sees what this very command has added.
// Other sessions wait for the lock.
bool is_known(Relation table, const Row &added) {
    bool known = false;
    look_up(table, kIdColumn + 1, added.id(), SnapshotSelf, [&](HeapTuple tuple) {
        const Row other = read_row(RelationGetDescr(table), tuple);
        if (other.id() != added.id()) return;
        known = known || is_same(RelationGetDescr(table), added, other);
        if (!known && added.has_name() && other.has_name()) raise_taken(added, other);
    });
    return known;
}

// A restored generator continues above what others have made of its ids and given up here. That counts for both
// tick-tock bits, because its id may be that of a former generator of the other scheme. It must not make the ids of
// another generator. One that may overlap others can begin anywhere.
void begin_restored(Relation table, const Row &added) {
    if (added.overlaps()) return;
    const bool has_one_layout = added.nulls[kLayoutColumn] && !has_other_layouts(recorded_layout_or(settings.layout));
    UsedUp used{};
    ScanKeyData keys[] = {added.key(kSchemeColumn, F_TEXTEQ), added.key(kWorkerColumn, F_INT4EQ),
                          added.key(kPartitionColumn, F_INT4EQ)};
    look_up(table, SnapshotSelf, keys, has_one_layout ? std::size(keys) : 1, [&](HeapTuple tuple) {
        const Row other = read_row(RelationGetDescr(table), tuple);
        if (other.id() == added.id() || other.overlaps()) return;
        const bool met = could_meet(RelationGetDescr(table), added, other);
        if (met && other.has_name())
            raise_meeting(added, other, "They have the same number, and their sequence numbers overlap.");
        if (!met && !(have_layouts(added, other, tuple) && meets_now(added, other))) return;
        if (other.has_name()) raise_meeting(added, other, "With their layouts, their numbers are the same bits.");
        HorizonRow given_up{};
        if (read_horizon(other.id(), given_up)) used = merged(used, given_up.used_up().with_either_bit());
    });
    if (used == UsedUp{}) return;
    HorizonRow state{.generator = added.id(), .timeline = History::unknown().word};
    state.set(used);
    add_horizon_row(state);
}

Datum row_to_keep(const TriggerData &trigger) {
    return PointerGetDatum(TRIGGER_FIRED_BY_UPDATE(trigger.tg_event) ? trigger.tg_newtuple : trigger.tg_trigtuple);
}

void require_number(const Row &row, int column, const char *name) {
    if (row.nulls[column] || DatumGetInt32(row.values[column]) >= 0) return;
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("invalid number of a generator"),
                    errdetail("\"%s\" must not be negative, but it is %d.", name, DatumGetInt32(row.values[column]))));
}

// What one odd row would do to everyone: the last id leaves none for other generators, and reloads read the rows of all
// databases. So a row is small, has no number that is read as a huge one, and has names that mean something.
void require_plain(TupleDesc columns, const Row &row) {
    GeneratorRecord named{};
    if (row.has_name()) take_name(row.name(), named);
    if (!row.nulls[kSchemeColumn]) scheme_named(TextDatumGetCString(row.values[kSchemeColumn]));
    for (const int column : {kWorkerColumn, kPartitionColumn, kMinColumn, kMaxColumn})
        require_number(row, column, NameStr(TupleDescAttr(columns, column)->attname));
    constexpr std::int64_t kLast = INT64_MAX / 2;
    if (row.id() > kLast)
        ereport(ERROR,
                (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("invalid id of a generator"),
                 errdetail("It must be at most " INT64_FORMAT ", but it is " INT64_FORMAT ".", kLast, row.id())));
    if (row.nulls[kLayoutColumn]) return;
    const char *layout = TextDatumGetCString(row.values[kLayoutColumn]);
    const char *canonical = layout_text(read_layout(layout));
    if (std::strcmp(layout, canonical) == 0) return;
    ereport(ERROR,
            (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("the layout of a generator is not in its canonical form"),
             errdetail("It must be written %s.", canonical)));
}

}  // namespace

// Before an INSERT, UPDATE or DELETE of a row.
SNOWID_FUNCTION(snowid_drop_replicated) {
    const TriggerData &trigger = own_trigger(fcinfo, TriggerKind::before_row, nullptr);
    return is_replicated() ? kNoRow : row_to_keep(trigger);
}

// Before an INSERT of a row. Skips a restored record that is here already. Several sessions can restore at once. The
// lock makes them check one after another, and still lets each of them insert.
SNOWID_FUNCTION(snowid_generator_added) {
    const TriggerData &trigger = own_trigger(fcinfo, TriggerKind::before_insert, "generator");
    TupleDesc columns = RelationGetDescr(trigger.tg_relation);
    require_record_columns(trigger.tg_relation);
    if (heap_attisnull(trigger.tg_trigtuple, kIdColumn + 1, columns))
        return row_to_keep(trigger);  // the table refuses it
    const Row added = read_row(columns, trigger.tg_trigtuple);
    require_plain(columns, added);
    require_pages(trigger.tg_relation, kMostGeneratorPages);
    LockRelation(trigger.tg_relation, ShareUpdateExclusiveLock);
    const bool known = is_known(trigger.tg_relation, added);
    if (!known && added.has_name()) begin_restored(trigger.tg_relation, added);
    return known ? kNoRow : row_to_keep(trigger);
}

// Before an INSERT of a row. The table's own check looks at the layout.
SNOWID_FUNCTION(snowid_layout_incoming) {
    const TriggerData &trigger = own_trigger(fcinfo, TriggerKind::before_insert, "layout");
    require_pages(trigger.tg_relation, kMostLayoutPages);
    return row_to_keep(trigger);
}

// Before an INSERT of a row. Skips a restored grant that is here already.
SNOWID_FUNCTION(snowid_granted_added) {
    const TriggerData &trigger = own_trigger(fcinfo, TriggerKind::before_insert, "granted");
    Datum values[2];
    bool nulls[2];
    first_columns(trigger.tg_trigtuple, RelationGetDescr(trigger.tg_relation), values, nulls);
    if (nulls[0] || nulls[1]) return row_to_keep(trigger);  // the table refuses it
    const bool known = has_grant(trigger.tg_relation, TextDatumGetCString(values[0]), TextDatumGetCString(values[1]));
    return known ? kNoRow : row_to_keep(trigger);
}
