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
#include "catalog/pg_tablespace.h"
#include "catalog/pg_tablespace_d.h"
#include "commands/seclabel.h"
#include "storage/bufmgr.h"
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

InPlace change_label(Relation table, Scheme scheme, const ItemPointerData &tid, IfBusy if_busy, ChangeFloor change,
                     XLogRecPtr &end) {
    TupleDesc columns = RelationGetDescr(table);
    const auto is_row = [&](const HeapTupleData &tuple) { return is_floor(tuple, columns, scheme); };
    const auto change_tuple = [&](HeapTupleData &tuple) {
        const std::string_view label = text_in(tuple, Anum_pg_shseclabel_label, columns);
        const core::Floor before = floor_in(label, scheme);
        core::Floor after = before;
        change(after);
        if (after == before) return false;
        core::text_of(after).view().copy(const_cast<char *>(label.data()), label.size());
        return true;
    };
    return change_in_place(table, tid, if_busy, is_row, change_tuple, end);
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

// The label changes in place, so it is read under the lock of its page.
core::Floor read_floor(Scheme scheme) {
    core::Floor read{};
    change_floor_and_flush(scheme, [&read](const core::Floor &floor) { read = floor; });
    return read;
}

bool change_floor(Scheme scheme, IfBusy if_busy, ChangeFloor change, XLogRecPtr &end) {
    Relation table = if_busy == IfBusy::wait ? table_open(SharedSecLabelRelationId, RowExclusiveLock)
                                             : open_if_free(SharedSecLabelRelationId, RowExclusiveLock);
    if (table == nullptr) return false;
    ItemPointerData &tid = places[static_cast<std::size_t>(scheme)];
    InPlace outcome = ItemPointerIsValid(&tid) ? change_label(table, scheme, tid, if_busy, change, end) : InPlace::gone;
    while (outcome == InPlace::gone) {
        const ItemPointerData last = tid;
        if (!find_floor(table, scheme, tid)) raise_floor_missing();
        outcome = change_label(table, scheme, tid, if_busy, change, end);
        if (outcome == InPlace::gone && std::memcmp(&last, &tid, sizeof tid) == 0)
            raise_unreadable(psprintf(
                "The row of the provider \"%s\" in pg_shseclabel is damaged, or longer than any of this version.",
                provider_of(scheme)));
    }
    table_close(table, RowExclusiveLock);
    return outcome == InPlace::done;
}

void change_floor_and_flush(Scheme scheme, ChangeFloor change) {
    XLogRecPtr end = InvalidXLogRecPtr;
    change_floor(scheme, IfBusy::wait, change, end);
    XLogFlush(end);
}

void distrust_floors() {
    for (const Scheme scheme : kSchemes)
        if (has_floor(scheme)) change_floor_and_flush(scheme, [](core::Floor &floor) { floor.whole = 0; });
}

void make_floors() {
    const ObjectAddress place{TableSpaceRelationId, GLOBALTABLESPACE_OID, 0};
    for (const Scheme scheme : kSchemes)
        if (!has_floor(scheme)) SetSecurityLabel(&place, provider_of(scheme), core::text_of({}).text);
}

}  // namespace snowid::server
