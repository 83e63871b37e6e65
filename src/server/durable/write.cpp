#include "server/durable/write.hpp"

#include "server/durable/lookup.hpp"

extern "C" {
#include "catalog/indexing.h"
#include "nodes/pg_list.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"
}

namespace snowid::server {

void require_plain_indexes(Relation table) {
    const ListCell *cell = nullptr;
    foreach (cell, RelationGetIndexList(table)) {
        HeapTuple index = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(lfirst_oid(cell)));
        if (!HeapTupleIsValid(index)) continue;
        const bool is_plain = is_plain_index(index);
        ReleaseSysCache(index);
        if (is_plain) continue;
        const char *name =
            quote_qualified_identifier(get_namespace_name(RelationGetNamespace(table)), get_rel_name(lfirst_oid(cell)));
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("the table _snowid.%s has an index that is partial or on an expression",
                               RelationGetRelationName(table)),
                        errdetail("Only indexes on columns of all rows can be kept up to date."),
                        errhint("A superuser can run: DROP INDEX %s;", name)));
    }
}

void insert_row(Relation table, HeapTuple row) {
    require_plain_indexes(table);
    CatalogTupleInsert(table, row);
}

void update_row(Relation table, ItemPointer at, HeapTuple row) {
    require_plain_indexes(table);
    CatalogTupleUpdate(table, at, row);
}

}  // namespace snowid::server
