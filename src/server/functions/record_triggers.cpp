// The triggers by which the extension's tables tell a restore, which must get through, from what does not belong here:
// rows of another server's tables that logical replication brings, and a second generator of one number.
#include "pg/function.hpp"
#include "server/extension/own_trigger.hpp"
#include "server/extension/replicated.hpp"

extern "C" {
#include "access/genam.h"
#include "access/htup_details.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
}

using namespace snowid::server;

namespace {

constexpr int kColumns = 10, kId = 0, kName = 1;

// A row of snowid_generator as it stands: it need not be a record that can make ids.
struct Row {
    Datum values[kColumns];
    bool nulls[kColumns];

    std::int64_t id() const { return DatumGetInt64(values[kId]); }
    bool has_name() const { return !nulls[kName]; }
    const char *name() const { return TextDatumGetCString(values[kName]); }
};

Row row_of(TupleDesc columns, HeapTuple tuple) {
    Row row{};
    heap_deform_tuple(tuple, columns, row.values, row.nulls);
    return row;
}

bool is_same(TupleDesc columns, const Row &a, const Row &b) {
    for (int i = 0; i < kColumns; ++i) {
        if (a.nulls[i] != b.nulls[i]) return false;
        const auto *column = TupleDescAttr(columns, i);
        if (!a.nulls[i] && !datum_image_eq(a.values[i], b.values[i], column->attbyval, column->attlen)) return false;
    }
    return true;
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

[[noreturn]] void raise_taken(const Row &added, const Row &other) {
    ereport(ERROR, (errcode(ERRCODE_UNIQUE_VIOLATION),
                    errmsg("generator \"%s\" has the id of another generator of this database", added.name()),
                    errdetail("%s", described(added, other)),
                    errhint("Take a snapshot of \"%s\" in its own database, with snowid_generator_snapshot, and "
                            "restore it here with snowid_generator_restore.",
                            added.name())));
}

// Raises an error if a named generator has the id of the row, which names another one. Rows without a name are past
// claims: they share the id of the generator that gave them up.
bool is_known(Relation table, const Row &added) {
    bool known = false;
    // Sees what this very command has added. Other sessions wait for the lock.
    SysScanDesc scan = systable_beginscan(table, InvalidOid, false, SnapshotSelf, 0, nullptr);
    while (HeapTuple tuple = systable_getnext(scan)) {
        const Row other = row_of(RelationGetDescr(table), tuple);
        if (other.id() != added.id()) continue;
        known = known || is_same(RelationGetDescr(table), added, other);
        if (!known && added.has_name() && other.has_name()) raise_taken(added, other);
    }
    systable_endscan(scan);
    return known;
}

bool is_whole(TupleDesc columns, HeapTuple tuple) {
    return columns->natts == kColumns && !heap_attisnull(tuple, kId + 1, columns);
}

Datum row_to_keep(const TriggerData &trigger) {
    return PointerGetDatum(TRIGGER_FIRED_BY_UPDATE(trigger.tg_event) ? trigger.tg_newtuple : trigger.tg_trigtuple);
}

}  // namespace

// Before an INSERT, UPDATE or DELETE of a row.
SNOWID_FUNCTION(snowid_drop_replicated) {
    const TriggerData &trigger = own_trigger(fcinfo, "snowid_drop_replicated", TriggerLevel::row, nullptr);
    return is_replicated() ? PointerGetDatum(nullptr) : row_to_keep(trigger);
}

// Before an INSERT of a row: a restored record that is here already is skipped. Several sessions can restore at a time;
// the lock makes them look one after the other, and lets each go on to insert.
SNOWID_FUNCTION(snowid_generator_added) {
    const TriggerData &trigger = own_trigger(fcinfo, "snowid_generator_added", TriggerLevel::row, "snowid_generator");
    TupleDesc columns = RelationGetDescr(trigger.tg_relation);
    if (!is_whole(columns, trigger.tg_trigtuple)) return row_to_keep(trigger);
    LockRelation(trigger.tg_relation, ShareUpdateExclusiveLock);
    const bool known = is_known(trigger.tg_relation, row_of(columns, trigger.tg_trigtuple));
    return known ? PointerGetDatum(nullptr) : row_to_keep(trigger);
}
