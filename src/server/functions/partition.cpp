// What SQL cannot do for tables partitioned by time: write the extension's records on behalf of a table's owner, and
// maintain a table as its owner. The rest is in sql/install/bodies/20-partition.sql.
#include "pg/compat.hpp"
#include "pg/error.hpp"
#include "pg/time.hpp"
#include "pg/type/arguments.hpp"
#include "server/base/preload.hpp"
#include "server/extension/owner.hpp"
#include "server/generator/required_clock.hpp"
#include "server/layout/layout_record.hpp"
#include "server/memory/shared.hpp"
#include "server/tables/tables.hpp"

extern "C" {
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/resowner.h"
#include "utils/timestamp.h"
}

using namespace snowid::pg;
using namespace snowid::server;

namespace {

const char *name_of(Oid table) {
    return quote_qualified_identifier(get_namespace_name(get_rel_namespace(table)), get_rel_name(table));
}

Oid own_table(const char *name) {
    Relation table = open_extension_table(name, AccessShareLock);
    const Oid oid = RelationGetRelid(table);
    table_close(table, NoLock);
    return oid;
}

void execute(const char *sql, int count, const Oid *types, Datum *values, const char *nulls) {
    if (SPI_execute_with_args(sql, count, const_cast<Oid *>(types), values, nulls, false, 0) < 0)
        elog(ERROR, "could not execute \"%s\"", sql);
}

constexpr int kMostArguments = 7;

// Runs one statement on one of our tables, with the arguments of the call. The text has %s in place of the table.
void write(const char *table, const char *sql, int count, const Oid *types, FunctionCallInfo fcinfo) {
    const Oid oid = own_table(table);
    Datum values[kMostArguments];
    char nulls[kMostArguments];
    for (int i = 0; i < count; ++i) {
        values[i] = PG_GETARG_DATUM(i);
        nulls[i] = PG_ARGISNULL(i) ? 'n' : ' ';
    }
    const Caller caller = become(owner_of(oid));
    SPI_connect();
    execute(psprintf(sql, name_of(oid)), count, types, values, nulls);
    SPI_finish();
    become(caller);
}

// Leaves rows alone that someone else is removing.
void prune(const char *table, const char *is_gone, FunctionCallInfo fcinfo) {
    write(table,
          psprintf("DELETE FROM %%1$s WHERE ctid = ANY (ARRAY("
                   "SELECT r.ctid FROM %%1$s AS r WHERE %s FOR UPDATE SKIP LOCKED))",
                   is_gone),
          0, nullptr, fcinfo);
}

constexpr int kDone = 4, kFailed = 4;  // the columns of a step that succeeds, followed by those of an error

struct Step {
    Datum values[kDone + kFailed];
    bool nulls[kDone + kFailed];
};

// Hostile code that runs here has only the rights of the owner, and any setting it changes is restored after the step.
void do_step(Oid table, Oid owner, Datum what, int lock_timeout, Step &step) {
    const Caller caller = become(owner);
    const int settings = NewGUCNestLevel();
    set_config_option("lock_timeout", psprintf("%d", lock_timeout), PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true,
                      0, false);
    SPI_connect();
    const Oid types[] = {REGCLASSOID, TEXTOID};
    Datum values[] = {ObjectIdGetDatum(table), what};
    execute("SELECT * FROM _snowid.partition_step($1, $2)", 2, types, values, nullptr);
    if (SPI_processed != 1) elog(ERROR, "a step has no result");
    for (int i = 0; i < kDone; ++i)
        step.values[i] = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, i + 1, &step.nulls[i]);
    SPI_finish();
    AtEOXact_GUC(false, settings);
    become(caller);
}

// A hostile function can raise the same error as a cancelled query, but not from the same place in PostgreSQL.
bool is_cancel(const ErrorData &error) {
    return error.sqlerrcode == ERRCODE_QUERY_CANCELED && error.funcname != nullptr &&
           std::strcmp(error.funcname, "ProcessInterrupts") == 0;
}

void set_text(Step &step, int column, const char *value) {
    step.nulls[column] = value == nullptr;
    if (value != nullptr) step.values[column] = CStringGetTextDatum(value);
}

void set_error(const ErrorData &error, Step &step) {
    set_text(step, kDone, unpack_sql_state(error.sqlerrcode));
    set_text(step, kDone + 1, error.message);
    set_text(step, kDone + 2, error.detail);
    set_text(step, kDone + 3, error.hint);
}

// Runs in a subtransaction. An error ends the subtransaction, and its text goes into the step.
void try_step(Oid table, Oid owner, Datum what, int lock_timeout, Step &step) {
    MemoryContext context = CurrentMemoryContext;
    ResourceOwner resources = CurrentResourceOwner;
    BeginInternalSubTransaction(nullptr);
    MemoryContextSwitchTo(context);
    PG_TRY();
    {
        do_step(table, owner, what, lock_timeout, step);
        ReleaseCurrentSubTransaction();
    }
    PG_CATCH();
    {
        MemoryContextSwitchTo(context);
        ErrorData *error = CopyErrorData();
        if (is_cancel(*error)) PG_RE_THROW();
        FlushErrorState();
        RollbackAndReleaseCurrentSubTransaction();
        MemoryContextSwitchTo(context);
        std::fill_n(step.nulls, kDone + kFailed, true);
        set_error(*error, step);
    }
    PG_END_TRY();
    MemoryContextSwitchTo(context);
    CurrentResourceOwner = resources;
}

}  // namespace

SNOWID_FUNCTION(snowid_partition_record) {
    const Oid types[] = {REGCLASSOID, INTERVALOID, INT4OID, INT4OID, INTERVALOID, TEXTOID, TEXTOID};
    require_owner(PG_GETARG_OID(0), owner_of(PG_GETARG_OID(0)));
    write(
        "snowid_partitioned",
        "WITH changed AS (UPDATE %1$s SET every = $2, ahead = $3, behind = $4, retain = $5, expired = $6, layout = $7 "
        "WHERE parent = $1 RETURNING parent)"
        " INSERT INTO %1$s (parent, every, ahead, behind, retain, expired, layout)"
        " SELECT $1, $2, $3, $4, $5, $6, $7 WHERE NOT EXISTS (SELECT FROM changed)",
        7, types, fcinfo);
    PG_RETURN_VOID();
}

SNOWID_FUNCTION(snowid_partition_detached) {
    const Oid types[] = {REGCLASSOID, REGCLASSOID, TIMESTAMPTZOID, TIMESTAMPTZOID, TIMESTAMPTZOID};
    require_owner(PG_GETARG_OID(1), owner_of(PG_GETARG_OID(1)));
    write("snowid_detached",
          "INSERT INTO %s VALUES ($1, $2, $3, $4, $5) ON CONFLICT (parent, partition)"
          " DO UPDATE SET starts = excluded.starts, ends = excluded.ends, detached = excluded.detached",
          5, types, fcinfo);
    PG_RETURN_VOID();
}

SNOWID_FUNCTION(snowid_partition_forget) {
    const Oid types[] = {REGCLASSOID};
    require_owner(PG_GETARG_OID(0), owner_of(PG_GETARG_OID(0)));
    write("snowid_partitioned", "DELETE FROM %s WHERE parent = $1", 1, types, fcinfo);
    PG_RETURN_VOID();
}

SNOWID_FUNCTION(snowid_partition_prune) {
    prune("snowid_partitioned", "NOT EXISTS (SELECT FROM pg_class WHERE oid = r.parent)", fcinfo);
    prune("snowid_detached",
          "NOT EXISTS (SELECT FROM pg_class WHERE oid = r.partition) OR NOT EXISTS (SELECT FROM pg_class WHERE oid = "
          "r.parent)"
          " OR EXISTS (SELECT FROM pg_inherits WHERE inhrelid = r.partition)",
          fcinfo);
    PG_RETURN_VOID();
}

// Partitions can be made by any clock. What expires by a wrong one is lost.
SNOWID_FUNCTION(snowid_partition_now) {
    if (can_share()) PG_RETURN_TIMESTAMPTZ(to_timestamptz(snowid::core::to_micros(require_clock())));
    if (text_argument(fcinfo, 0) != "make") raise_not_preloaded_for_expiry();
    PG_RETURN_TIMESTAMPTZ(GetCurrentTimestamp());
}

// A change of the layout waits for this lock.
SNOWID_FUNCTION(snowid_partition_layout) {
    table_close(open_extension_table(&ExtensionTables::layout, RowShareLock), NoLock);
    PG_RETURN_DATUM(CStringGetTextDatum(layout_text(recorded_layout())));
}

SNOWID_FUNCTION(snowid_maintain_table) {
    Step step;
    std::fill_n(step.nulls, kDone + kFailed, true);
    const Oid table = PG_GETARG_OID(0), owner = owner_of(table);
    if (OidIsValid(owner)) {
        require_owner(table, owner);
        try_step(table, owner, PG_GETARG_DATUM(1), PG_GETARG_INT32(2), step);
    }
    return row_datum(fcinfo, step.values, step.nulls);
}
