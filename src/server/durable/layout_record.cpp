#include "server/durable/layout_record.hpp"

#include "core/layout/layout_text.hpp"
#include "pg/error.hpp"
#include "pg/type/arguments.hpp"
#include "server/durable/rows.hpp"
#include "server/durable/tables.hpp"
#include "server/shared/settings.hpp"

extern "C" {
#include "access/table.h"
#include "catalog/pg_type_d.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/timestamp.h"
}

namespace snowid::server {
namespace {

constexpr Oid kTypes[] = {TEXTOID, TIMESTAMPTZOID};  // the layout, and when it was recorded

// The recorded layout as this session has read it.
struct CachedLayout {
    bool filled;
    std::uint64_t changes;  // extension_changes() when it was read
    core::Layout layout;
};

constinit CachedLayout cached{};

// A restored dump adds its row to the row that CREATE EXTENSION has just made. The data have the older layout.
const char *read_oldest(Relation table) {
    const char *layout = nullptr;
    TimestampTz oldest = DT_NOEND;
    each_row(table, [&](HeapTuple tuple) {
        Datum values[std::size(kTypes)];
        bool nulls[std::size(kTypes)];
        pg::first_columns(tuple, RelationGetDescr(table), values, nulls);
        if (nulls[0] || nulls[1]) return;
        const TimestampTz recorded = DatumGetTimestampTz(values[1]);
        if (layout != nullptr && recorded >= oldest) return;
        layout = TextDatumGetCString(values[0]);
        oldest = recorded;
    });
    return layout;
}

[[noreturn]] void raise_no_record() {
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("this database has no record of its snowflake layout"),
                    errdetail("The table _snowid.layout is empty."),
                    errhint("A superuser can run this, with the layout of the existing ids: INSERT INTO _snowid.layout "
                            "VALUES (%s.snowid_layout_canonical('default'), now());",
                            quote_identifier(get_namespace_name(extension_schema())))));
}

// Returns false if there is none and that is no error.
[[gnu::noinline]] bool read_record(bool must_be_there) {
    Relation table = open_extension_table(&ExtensionTables::layout, AccessShareLock);
    require_columns(table, kTypes);
    const char *text = read_oldest(table);
    if (text == nullptr && must_be_there) raise_no_record();
    table_close(table, AccessShareLock);
    if (text != nullptr) cached.layout = pg::read_layout(text);
    return text != nullptr;
}

bool read_if_changed(bool must_be_there) {
    const std::uint64_t changes = extension_changes();
    if (cached.filled && cached.changes == changes) [[likely]]
        return true;
    cached.filled = false;
    cached.filled = read_record(must_be_there);
    cached.changes = changes;
    return cached.filled;
}

}  // namespace

const core::Layout &recorded_layout() {
    read_if_changed(true);
    return cached.layout;
}

const core::Layout &recorded_layout_or(const core::Layout &other) {
    return read_if_changed(false) ? cached.layout : other;
}

void require_layout_of_server() {
    const core::Layout &recorded = recorded_layout();
    if (recorded == settings.layout) return;
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("this server does not make snowflakes of this database's layout"),
                    errdetail("The database has the layout %s, but the server has %s.", pg::layout_text(recorded),
                              pg::layout_text(settings.layout)),
                    errhint("Set snowid.layout to the database's layout and restart the server.")));
}

}  // namespace snowid::server
