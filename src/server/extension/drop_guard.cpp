#include "server/extension/drop_guard.hpp"

#include "pg/prelude.hpp"

extern "C" {
#include "commands/extension.h"
#include "executor/spi.h"
#include "nodes/parsenodes.h"
}

namespace snowid::server {
namespace {

constexpr const char *kExtension = "snowid_convert";

bool is_there() { return OidIsValid(get_extension_oid(kExtension, true)); }

}  // namespace

bool may_drop_extension(const Node *statement) {
    if (IsA(statement, DropOwnedStmt)) return true;
    if (!IsA(statement, DropStmt)) return false;
    const ObjectType type = reinterpret_cast<const DropStmt *>(statement)->removeType;
    return type == OBJECT_EXTENSION || type == OBJECT_SCHEMA;
}

const char *tables_under_way() {
    if (!is_there()) return nullptr;
    MemoryContext before = CurrentMemoryContext;
    SPI_connect();
    if (SPI_execute("SELECT _snowid_convert.tables_under_way()", true, 1) != SPI_OK_SELECT)
        elog(ERROR, "could not ask which tables are being converted");
    char *tables = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
    if (tables != nullptr) tables = MemoryContextStrdup(before, tables);
    SPI_finish();
    return tables;
}

void require_still_there(const char *tables) {
    if (tables == nullptr || is_there()) return;
    ereport(ERROR,
            (errcode(ERRCODE_OBJECT_IN_USE),
             errmsg("the extension \"%s\" cannot be dropped while columns are being converted", kExtension),
             errdetail("Second columns are in %s.", tables),
             errhint("Complete these conversions with the statements of snowid_convert_plan. Or give them up: "
                     "CALL snowid_convert('...', target => 'bigserial') drops the second columns of numbers, and "
                     "with target => 'uuidv7' those of UUIDs.")));
}

}  // namespace snowid::server
