// Lets a session under callgrind say where its instructions are counted from: those since the last call go to a file.
#include "postgres.h"

#include "fmgr.h"
#include "valgrind/callgrind.h"

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(count_from_here);

Datum count_from_here(PG_FUNCTION_ARGS) {
    CALLGRIND_DUMP_STATS;
    PG_RETURN_VOID();
}
