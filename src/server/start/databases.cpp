#include "server/start/databases.hpp"

#include "pg/compat.hpp"

extern "C" {
#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_database.h"
#include "utils/memutils.h"
}

namespace snowid::server {

List *all_databases() {
    StartTransactionCommand();
    List *databases = NIL;
    Relation table = table_open(DatabaseRelationId, AccessShareLock);
    SysScanDesc scan = systable_beginscan(table, InvalidOid, false, nullptr, 0, nullptr);
    while (HeapTuple tuple = systable_getnext(scan)) {
        const auto *row = reinterpret_cast<Form_pg_database>(GETSTRUCT(tuple));
        MemoryContext caller = MemoryContextSwitchTo(TopMemoryContext);
        if (row->datconnlimit >= -1) databases = lappend_oid(databases, row->oid);  // below -1: it was being dropped
        MemoryContextSwitchTo(caller);
    }
    systable_endscan(scan);
    table_close(table, AccessShareLock);
    CommitTransactionCommand();
    return databases;
}

}  // namespace snowid::server
