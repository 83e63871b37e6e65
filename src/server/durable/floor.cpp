#include "server/durable/floor.hpp"

#include "pg/compat.hpp"
#include "pg/error.hpp"

extern "C" {
#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xlog.h"
#include "catalog/objectaddress.h"
#include "catalog/pg_shseclabel.h"
#include "catalog/pg_tablespace_d.h"
#include "commands/seclabel.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
}

namespace snowid::server {
namespace {

constexpr std::string_view kProvider = "snowid ";  // and the name of the scheme

const char *provider_of(Scheme scheme) { return psprintf("%s%s", kProvider.data(), scheme_row(scheme).name); }

std::string_view text_in(const HeapTupleData &tuple, AttrNumber column, TupleDesc columns) {
    bool is_null = false;
    const Datum value = heap_getattr(const_cast<HeapTupleData *>(&tuple), column, columns, &is_null);
    auto *text = reinterpret_cast<varlena *>(DatumGetPointer(value));
    if (is_null || VARATT_IS_EXTERNAL(text) || VARATT_IS_COMPRESSED(text)) return {};
    return {VARDATA_ANY(text), static_cast<std::size_t>(VARSIZE_ANY_EXHDR(text))};
}

bool is_floor(const HeapTupleData &tuple, TupleDesc columns, Scheme scheme) {
    const auto &row = *reinterpret_cast<const FormData_pg_shseclabel *>(GETSTRUCT(&tuple));
    const std::string_view provider = text_in(tuple, Anum_pg_shseclabel_provider, columns);
    return row.objoid == GLOBALTABLESPACE_OID && row.classoid == TableSpaceRelationId &&
           provider.starts_with(kProvider) && provider.substr(kProvider.size()) == scheme_row(scheme).name;
}

[[noreturn]] void raise_unreadable(const char *detail) {
    ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED), errmsg("cannot read how far this server's ids have come"),
                    errdetail_internal("%s", detail),
                    errhint("A newer version of snowid may have written it. If nothing can read it, a superuser can "
                            "delete it from pg_catalog.pg_shseclabel and restart the server. Ids of databases that "
                            "were dropped can then be made again.")));
}

core::Floor floor_in(std::string_view label, Scheme scheme) {
    core::Floor floor{};
    if (!core::parse_floor(label, floor))
        raise_unreadable(psprintf("The security label of the provider \"%s\" on the tablespace pg_global says \"%s\".",
                                  provider_of(scheme), pg::shown(label)));
    return floor;
}

// The server's worker has no database, and the index only sometimes.
bool find_floor(Relation table, Scheme scheme, ItemPointerData &tid) {
    ScanKeyData keys[3];
    ScanKeyInit(&keys[0], Anum_pg_shseclabel_objoid, BTEqualStrategyNumber, F_OIDEQ,
                ObjectIdGetDatum(GLOBALTABLESPACE_OID));
    ScanKeyInit(&keys[1], Anum_pg_shseclabel_classoid, BTEqualStrategyNumber, F_OIDEQ,
                ObjectIdGetDatum(TableSpaceRelationId));
    ScanKeyInit(&keys[2], Anum_pg_shseclabel_provider, BTEqualStrategyNumber, F_TEXTEQ,
                CStringGetTextDatum(provider_of(scheme)));
    InvalidateCatalogSnapshot();  // it may show a row that is gone
    SysScanDesc scan = systable_beginscan(table, SharedSecLabelObjectIndexId, criticalSharedRelcachesBuilt, nullptr,
                                          std::size(keys), keys);
    HeapTuple tuple = systable_getnext(scan);
    if (HeapTupleIsValid(tuple)) tid = tuple->t_self;
    systable_endscan(scan);
    return HeapTupleIsValid(tuple);
}

[[noreturn]] void raise_floor_missing() {
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("this server has lost the record of how far its ids have come"),
                    errdetail("The table pg_shseclabel has no row for them. The first start makes one."),
                    errhint("If max_worker_processes leaves no room for a second worker at a start, raise it. Then "
                            "restart the server.")));
}

// Where this process last found the floor.
constinit ItemPointerData places[std::size(kSchemes)] = {};

}  // namespace

bool has_floor(Scheme scheme) {
    Relation table = table_open(SharedSecLabelRelationId, AccessShareLock);
    ItemPointerData tid;
    const bool found = find_floor(table, scheme, tid);
    table_close(table, AccessShareLock);
    return found;
}

LockedFloor::LockedFloor(Scheme scheme, IfBusy if_busy) {
    table_ = if_busy == IfBusy::wait ? table_open(SharedSecLabelRelationId, RowExclusiveLock)
                                     : open_if_free(SharedSecLabelRelationId, RowExclusiveLock);
    if (table_ == nullptr) return;
    ItemPointerData &tid = places[static_cast<std::size_t>(scheme)];
    InPlace outcome = ItemPointerIsValid(&tid) ? lock_at(tid, scheme, if_busy) : InPlace::gone;
    while (outcome == InPlace::gone) {
        const ItemPointerData last = tid;
        if (!find_floor(table_, scheme, tid)) raise_floor_missing();
        outcome = lock_at(tid, scheme, if_busy);
        if (outcome == InPlace::gone && std::memcmp(&last, &tid, sizeof tid) == 0)
            raise_unreadable(psprintf(
                "The row of the provider \"%s\" in pg_shseclabel is damaged, or longer than any of this version.",
                provider_of(scheme)));
    }
    if (outcome == InPlace::locked) return;
    table_close(table_, RowExclusiveLock);
    table_ = nullptr;
}

InPlace LockedFloor::lock_at(const ItemPointerData &tid, Scheme scheme, IfBusy if_busy) {
    const InPlace outcome = row_.lock(table_, tid, if_busy);
    if (outcome != InPlace::locked) return outcome;
    TupleDesc columns = RelationGetDescr(table_);
    if (!is_floor(row_.tuple(), columns, scheme)) {
        row_.unlock();
        return InPlace::gone;
    }
    label_ = text_in(row_.tuple(), Anum_pg_shseclabel_label, columns);
    floor = before_ = floor_in(label_, scheme);
    return InPlace::locked;
}

XLogRecPtr LockedFloor::write() {
    const bool has_changed = floor != before_;
    if (has_changed) core::text_of(floor).view().copy(const_cast<char *>(label_.data()), label_.size());
    const XLogRecPtr end = row_.write(has_changed);
    table_close(table_, RowExclusiveLock);
    return end;
}

void LockedFloor::write_and_flush() { XLogFlush(write()); }

core::Floor read_floor(Scheme scheme) {
    LockedFloor locked(scheme);  // because the label changes in place
    locked.write_and_flush();
    return locked.floor;
}

void distrust_floors() {
    for (const Scheme scheme : kSchemes) {
        if (!has_floor(scheme)) continue;
        LockedFloor locked(scheme);
        locked.floor.whole = 0;
        locked.write_and_flush();
    }
}

void make_floors() {
    const ObjectAddress place{TableSpaceRelationId, GLOBALTABLESPACE_OID, 0};
    for (const Scheme scheme : kSchemes)
        if (!has_floor(scheme)) SetSecurityLabel(&place, provider_of(scheme), core::text_of({}).text);
}

}  // namespace snowid::server
