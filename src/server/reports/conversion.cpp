// What SQL cannot do for a conversion. The rest is in convert/install.
#include "server/reports/own_rows.hpp"
#include "server/shared/owner.hpp"

extern "C" {
#include "catalog/namespace.h"
#include "executor/spi.h"
#include "nodes/makefuncs.h"
}

using namespace snowid::server;

// Whoever may write a table may lock it, so nobody else than its owner writes it by hand. The extension can be gone
// since the call was planned.
SNOWID_FUNCTION(snowid_convert_progressed) {
    require_owner(PG_GETARG_OID(0));
    RangeVar *progress = makeRangeVar(pstrdup("_snowid_convert"), pstrdup("progress"), -1);
    write_own(RangeVarGetRelid(progress, RowExclusiveLock, false),
              "INSERT INTO %s AS own SELECT $1, oid, pg_backend_pid(), $2, $3, $4, $5, clock_timestamp()"
              " FROM pg_trigger WHERE tgrelid = $1 AND tgname = '~snowid_convert' ON CONFLICT (rel) DO UPDATE"
              " SET (trigger, pid, filled, page, pages, begun, told) = ROW (excluded.trigger, excluded.pid,"
              " excluded.filled, excluded.page, excluded.pages, excluded.begun, excluded.told)",
              arguments_of(fcinfo));
    PG_RETURN_VOID();
}

// The times of a transaction and of its first statement do not tell: a driver that sends a statement in parts dates
// each part.
SNOWID_FUNCTION(snowid_convert_can_commit) { PG_RETURN_BOOL(SPI_inside_nonatomic_context()); }
