#include "server/layout_record.hpp"

#include <cstdint>
#include <string_view>

#include "pg/clock.hpp"
#include "pg/error.hpp"
#include "pg/function.hpp"
#include "server/extension.hpp"
#include "server/generator.hpp"

extern "C" {
#include "access/genam.h"
#include "access/table.h"
#include "commands/trigger.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/rel.h"
#include "utils/timestamp.h"
}

namespace snowid::server {
namespace {

constexpr const char *kTable = "snowid_layout";
constexpr AttrNumber kLayoutColumn = 1;
constexpr AttrNumber kRecordedColumn = 2;

struct Cache {
    bool callback_registered;
    bool valid;
    std::uint64_t changes;
    Oid table;
    core::Layout layout;
};

constinit Cache cache{};

void forget(Datum, Oid table) {
    if (table != InvalidOid && table != cache.table) return;
    cache.valid = false;
    ++cache.changes;
    generator_settings_changed();
}

// A restored dump adds its row to the one that CREATE EXTENSION has just made; the data are of the older one.
const char *read_oldest(Relation table) {
    const char *layout = nullptr;
    TimestampTz oldest = DT_NOEND;
    SysScanDesc scan = systable_beginscan(table, InvalidOid, false, nullptr, 0, nullptr);
    while (HeapTuple tuple = systable_getnext(scan)) {
        bool null = false;
        const TimestampTz recorded =
            DatumGetTimestampTz(heap_getattr(tuple, kRecordedColumn, RelationGetDescr(table), &null));
        if (layout != nullptr && recorded >= oldest) continue;
        layout = TextDatumGetCString(heap_getattr(tuple, kLayoutColumn, RelationGetDescr(table), &null));
        oldest = recorded;
    }
    systable_endscan(scan);
    return layout;
}

void read_record() {
    cache.table = extension_table(kTable);
    Relation table = table_open(cache.table, AccessShareLock);
    const char *text = read_oldest(table);
    table_close(table, AccessShareLock);
    if (text == nullptr)
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("this database has no record of its snowflake layout"),
                        errdetail("The table snowid_layout is empty."),
                        errhint("Insert the layout that its ids have into that table as a superuser.")));
    const core::LayoutError error = core::parse_layout(text, pg::wall_clock_micros(), cache.layout);
    if (error.fault != core::LayoutFault::none) pg::raise_layout_error(text, error);
}

}  // namespace

const core::Layout &recorded_layout() {
    if (cache.valid) [[likely]]
        return cache.layout;
    if (!cache.callback_registered) CacheRegisterRelcacheCallback(forget, Datum{0});
    cache.callback_registered = true;
    const std::uint64_t before = cache.changes;
    read_record();
    cache.valid = cache.changes == before;
    return cache.layout;
}

}  // namespace snowid::server

// A change of the record reaches every backend as an invalidation of its table.
SNOWID_FUNCTION(snowid_layout_record_changed) {
    if (!CALLED_AS_TRIGGER(fcinfo)) ereport(ERROR, errmsg("snowid_layout_record_changed is a trigger function"));
    CacheInvalidateRelcache(reinterpret_cast<TriggerData *>(fcinfo->context)->tg_relation);
    PG_RETURN_POINTER(nullptr);
}
