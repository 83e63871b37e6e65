#include "server/durable/pages.hpp"

extern "C" {
#include "access/genam.h"
#include "access/htup_details.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
}

namespace snowid::server {
namespace {

std::int64_t rows_of(Relation table) {
    std::int64_t count = 0;
    SysScanDesc scan = systable_beginscan(table, InvalidOid, false, SnapshotSelf, 0, nullptr);
    while (HeapTupleIsValid(systable_getnext(scan))) ++count;
    systable_endscan(scan);
    return count;
}

}  // namespace

void require_pages(Relation table, BlockNumber most) {
    const BlockNumber pages = RelationGetNumberOfBlocks(table);
    if (pages < most) return;
    const char *name = RelationGetRelationName(table);
    ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("the table _snowid.%s is full", name),
                    errdetail("It has %u pages, and it may have %u, because reloads and some starts read all of them.",
                              pages, most),
                    errhint("If rows were changed or rolled back in it, run: VACUUM FULL _snowid.%s;", name)));
}

void require_few_generators(Relation table) {
    LockRelation(table, ShareUpdateExclusiveLock);
    if (RelationGetNumberOfBlocks(table) * std::int64_t{MaxHeapTuplesPerPage} <= kMostGenerators) return;
    const std::int64_t rows = rows_of(table);
    if (rows <= kMostGenerators) return;
    ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("the table _snowid.generator has too many rows"),
                    errdetail("A database can have " INT64_FORMAT
                              " generators and past claims, because reloads and some starts read all of them. Here "
                              "they would be " INT64_FORMAT ".",
                              kMostGenerators, rows)));
}

}  // namespace snowid::server
