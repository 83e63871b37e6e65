// What SQL cannot do for tables partitioned by time: write the extension's records on behalf of a table's owner, and
// maintain a table as its owner. The rest is in sql/install/bodies, from 20-partition.sql on.
#include "pg/compat.hpp"
#include "pg/error.hpp"
#include "pg/time.hpp"
#include "pg/type/arguments.hpp"
#include "server/durable/horizon.hpp"
#include "server/durable/layout_record.hpp"
#include "server/durable/own_trigger.hpp"
#include "server/durable/tables.hpp"
#include "server/generator/snowflake_clock.hpp"
#include "server/reports/own_rows.hpp"
#include "server/shared/owner.hpp"
#include "server/shared/shared.hpp"

extern "C" {
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/resowner.h"
#include "utils/timeout.h"
#include "utils/timestamp.h"
}

using namespace snowid::pg;
using namespace snowid::server;

namespace {

// Leaves rows alone that someone else is changing.
void prune(const char *table, const char *what, const char *which) {
    write_own(table,
              psprintf("%s WHERE ctid = ANY (ARRAY(SELECT r.ctid FROM %%1$s AS r WHERE %s FOR UPDATE SKIP LOCKED))",
                       what, which));
}

// The columns of _snowid.partition_step, of which the last are those of an error. Behind them is the table.
constexpr int kMade = 0, kGone = 1, kKept = 4, kCovered = 5, kFailed = 6, kStepColumns = 10;

// The row that a step of the maintenance returns, as _snowid.partition_step describes it. At first all of it is NULL.
struct Step {
    Argument columns[kStepColumns + 1] = {{INT4OID, 0, true},      {INT4OID, 0, true},      {TEXTARRAYOID, 0, true},
                                          {TEXTARRAYOID, 0, true}, {TEXTARRAYOID, 0, true}, {TIMESTAMPTZOID, 0, true},
                                          {TEXTOID, 0, true},      {TEXTOID, 0, true},      {TEXTOID, 0, true},
                                          {TEXTOID, 0, true},      {REGCLASSOID, 0, true}};

    bool has(int column) const { return !columns[column].is_null; }
};

constexpr int kGraceMs = 1000;

// In a handler of signals.
void end_session() {
    InterruptPending = true;
    ProcDiePending = true;
}

// Hostile code can catch that its caller's statement takes too long, and go on. So a second after that the session
// ends, which nobody can catch. Returns the timeout that sees to it.
TimeoutId insist_on_statement_timeout() {
    static constinit TimeoutId id = MAX_TIMEOUTS;
    if (id == MAX_TIMEOUTS) id = RegisterTimeout(USER_TIMEOUT, end_session);
    if (StatementTimeout > 0)
        enable_timeout_at(id, TimestampTzPlusMilliseconds(GetCurrentStatementStartTimestamp(),
                                                          std::int64_t{StatementTimeout} + kGraceMs));
    return id;
}

// Hostile code that runs here has only the rights of the owner, and any setting it changes is restored after the step.
// What it returns outlives SPI.
void do_step(Oid table, Oid owner, Datum what, int lock_timeout, Datum most, Step &step) {
    MemoryContext context = CurrentMemoryContext;
    const Caller caller = become(owner);
    const int settings = NewGUCNestLevel();
    set_config_option("lock_timeout", psprintf("%d", lock_timeout), PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true,
                      0, false);
    SPI_connect();
    const Argument arguments[] = {{REGCLASSOID, ObjectIdGetDatum(table)}, {TEXTOID, what}, {INT4OID, most}};
    execute("SELECT * FROM _snowid.partition_step($1, $2, $3)", arguments);
    if (SPI_processed != 1) elog(ERROR, "a step has no result");
    MemoryContext ours = MemoryContextSwitchTo(context);
    for (int i = 0; i < kStepColumns; ++i) {
        Argument &column = step.columns[i];
        const Datum value = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, i + 1, &column.is_null);
        if (step.has(i)) column.value = datumCopy(value, get_typbyval(column.type), get_typlen(column.type));
    }
    MemoryContextSwitchTo(ours);
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
    step.columns[column].is_null = value == nullptr;
    if (value != nullptr) step.columns[column].value = CStringGetTextDatum(value);
}

void set_error(const ErrorData &error, Step &step) {
    set_text(step, kFailed, unpack_sql_state(error.sqlerrcode));
    set_text(step, kFailed + 1, error.message);
    set_text(step, kFailed + 2, error.detail);
    set_text(step, kFailed + 3, error.hint);
}

// Runs in a subtransaction, which an error ends. Its text goes into the step, unless the job was cancelled.
void try_step(Oid table, Oid owner, Datum what, int lock_timeout, Datum most, Step &step) {
    MemoryContext context = CurrentMemoryContext;
    ResourceOwner resources = CurrentResourceOwner;
    BeginInternalSubTransaction(nullptr);
    MemoryContextSwitchTo(context);
    const TimeoutId timeout = insist_on_statement_timeout();
    PG_TRY();
    {
        do_step(table, owner, what, lock_timeout, most, step);
        disable_timeout(timeout, false);
        ReleaseCurrentSubTransaction();
    }
    PG_CATCH();
    {
        disable_timeout(timeout, false);
        MemoryContextSwitchTo(context);
        ErrorData *error = CopyErrorData();
        FlushErrorState();
        RollbackAndReleaseCurrentSubTransaction();
        MemoryContextSwitchTo(context);
        if (is_cancel(*error)) ReThrowError(error);
        step = {};
        set_error(*error, step);
    }
    PG_END_TRY();
    MemoryContextSwitchTo(context);
    CurrentResourceOwner = resources;
}

// Adds up what the steps of a run have done for a table. The first error stays.
void note_step(Oid table, Step &step) {
    step.columns[kStepColumns] = {REGCLASSOID, ObjectIdGetDatum(table)};
    write_own(
        "maintenance",
        "UPDATE %s SET made = made + coalesce($1, 0 * $2, 0), detached = detached || coalesce($3, '{}'),"
        " dropped = dropped || coalesce($4, '{}'), kept = coalesce($5, kept),"
        " covered_until = coalesce($6, covered_until), detail = CASE WHEN sqlstate IS NULL THEN $9 ELSE detail END,"
        " hint = CASE WHEN sqlstate IS NULL THEN $10 ELSE hint END, error = coalesce(error, $8),"
        " sqlstate = coalesce(sqlstate, $7) WHERE parent = $11",
        step.columns);
}

// What a crash would take from this is not missed.
void note_lightly(const char *sql, Arguments arguments) {
    set_config_option("synchronous_commit", "off", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_LOCAL, true, 0, false);
    write_own("maintenance", sql, arguments);
}

void note_run(Oid table, bool ended, const Step &step) {
    const Argument arguments[] = {{REGCLASSOID, ObjectIdGetDatum(table)},
                                  {BOOLOID, BoolGetDatum(ended)},
                                  step.columns[kKept],
                                  step.columns[kCovered]};
    note_lightly(
        "INSERT INTO %s AS run (parent, started, ended, kept, covered_until) VALUES ($1, clock_timestamp(),"
        " CASE WHEN $2 THEN clock_timestamp() END, coalesce($3, '{}'), $4) ON CONFLICT (parent) DO UPDATE"
        " SET started = excluded.started, ended = excluded.ended, made = 0, detached = '{}', dropped = '{}',"
        " kept = excluded.kept, covered_until = coalesce(excluded.covered_until, run.covered_until),"
        " sqlstate = NULL, error = NULL, detail = NULL, hint = NULL",
        arguments);
}

void note_end(Oid table) {
    const Argument arguments[] = {{REGCLASSOID, ObjectIdGetDatum(table)}};
    note_lightly("UPDATE %s SET ended = clock_timestamp() WHERE parent = $1", arguments);
}

// Lines of the server's log about what a transaction does, written when it has done it.

// A message for the server's log, unless its subtransaction is rolled back.
struct Line {
    SubTransactionId made_in;
    const char *text;
};

constinit List *lines = NIL;  // of the present transaction, in its memory, the newest last

void end_logged_transaction(XactEvent event, void *) {
    if (event != XACT_EVENT_COMMIT && event != XACT_EVENT_ABORT && event != XACT_EVENT_PREPARE) return;
    List *to_write = event == XACT_EVENT_COMMIT ? lines : NIL;
    lines = NIL;
    ListCell *cell;
    foreach (cell, to_write) {
        const auto *line = static_cast<const Line *>(lfirst(cell));
        ereport(LOG, (errmsg("%s", line->text), errhidestmt(true), errhidecontext(true)));
    }
}

// Subtransactions are numbered as they begin, so what was made since this one began has no lower number.
void end_logged_subtransaction(SubXactEvent event, SubTransactionId id, SubTransactionId, void *) {
    if (event != SUBXACT_EVENT_ABORT_SUB) return;
    while (lines != NIL && static_cast<const Line *>(llast(lines))->made_in >= id) lines = list_delete_last(lines);
}

void watch() {
    static constinit bool is_watching = false;
    if (is_watching) return;
    RegisterXactCallback(end_logged_transaction, nullptr);
    RegisterSubXactCallback(end_logged_subtransaction, nullptr);
    is_watching = true;
}

}  // namespace

SNOWID_FUNCTION(snowid_relation_in) {
    if (is_replicated()) PG_RETURN_OID(InvalidOid);
    return regclassin(fcinfo);
}

SNOWID_FUNCTION(snowid_partition_record) {
    require_owner(PG_GETARG_OID(0));
    write_own(
        "partitioned",
        "WITH changed AS (UPDATE %1$s SET every = $2, ahead = $3, behind = $4, retain = $5, expired = $6, layout = $7, "
        "zone = $8 WHERE parent = $1 RETURNING parent)"
        " INSERT INTO %1$s (parent, every, ahead, behind, retain, expired, layout, zone)"
        " SELECT $1, $2, $3, $4, $5, $6, $7, $8 WHERE NOT EXISTS (SELECT FROM changed)",
        arguments_of(fcinfo));
    PG_RETURN_VOID();
}

SNOWID_FUNCTION(snowid_partition_made) {
    require_owner(PG_GETARG_OID(0));
    write_own("partition_times",
              "INSERT INTO %s (partition, parent, starts, ends, bounds, layout, every, made, made_by)"
              " SELECT p, $1, s, e, ARRAY[f, n], $7, $8, clock_timestamp(), session_user"
              " FROM unnest($2, $3, $4, $5, $6) AS made (p, s, e, f, n)",
              arguments_of(fcinfo));
    PG_RETURN_VOID();
}

SNOWID_FUNCTION(snowid_partition_reread) {
    require_owner(PG_GETARG_OID(1));
    write_own("partition_times",
              "UPDATE %s SET ends = greatest(ends, $3), layout = $4 WHERE partition = $1 AND parent = $2",
              arguments_of(fcinfo));
    PG_RETURN_VOID();
}

SNOWID_FUNCTION(snowid_partition_detached) {
    require_owner(PG_GETARG_OID(1));
    write_own(
        "partition_times",
        "WITH known AS (UPDATE %1$s SET starts = $3, ends = $4, detached = $6 WHERE partition = $1 AND parent = $2"
        " RETURNING partition)"
        " INSERT INTO %1$s (partition, parent, starts, ends, bounds, detached)"
        " SELECT $1, $2, $3, $4, $5, $6 WHERE NOT EXISTS (SELECT FROM known)",
        arguments_of(fcinfo));
    PG_RETURN_VOID();
}

SNOWID_FUNCTION(snowid_partition_forget) {
    snowid::pg::require_argument(fcinfo, 0, "the table");
    require_owner(PG_GETARG_OID(0));
    LockRelationOid(PG_GETARG_OID(0), ShareUpdateExclusiveLock);  // nothing expires any more when this has returned
    if (write_own("partitioned", "DELETE FROM %s WHERE parent = $1", arguments_of(fcinfo)) == 0)
        ereport(NOTICE,
                (errmsg("no period is recorded for %s",
                        quote_literal_cstr(DatumGetCString(DirectFunctionCall1(regclassout, PG_GETARG_DATUM(0)))))));
    PG_RETURN_VOID();
}

// A partition that was detached by hand is nobody's, and one that is attached again is no longer detached.
SNOWID_FUNCTION(snowid_partition_prune) {
    constexpr const char *kParentIsGone = "NOT EXISTS (SELECT FROM pg_class WHERE oid = r.parent)";
    prune("partitioned", "DELETE FROM %1$s", kParentIsGone);
    prune("maintenance", "DELETE FROM %1$s", kParentIsGone);
    prune("partition_times", "DELETE FROM %1$s",
          psprintf("%s OR NOT EXISTS (SELECT FROM pg_class WHERE oid = r.partition) OR detached IS NULL"
                   " AND NOT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = r.partition AND inhparent = r.parent)",
                   kParentIsGone));
    prune("partition_times", "UPDATE %1$s SET detached = NULL",
          "detached IS NOT NULL AND EXISTS (SELECT FROM pg_inherits WHERE inhrelid = r.partition)");
    PG_RETURN_VOID();
}

// What calls this is run by SPI, which knows whether that can commit.
SNOWID_FUNCTION(snowid_partition_require_top) {
    if (!SPI_inside_nonatomic_context())
        ereport(ERROR, (errcode(ERRCODE_INVALID_TRANSACTION_TERMINATION),
                        errmsg("this procedure commits, so it cannot run in a transaction block or a function"),
                        errhint("Call it as a statement of its own. In a transaction, snowid_partition does for one "
                                "table what snowid_maintain does.")));
    PG_RETURN_VOID();
}

// Partitions can be made by any clock. What expires by a wrong one is lost, so the clock is remembered even if this
// server makes no ids.
SNOWID_FUNCTION(snowid_partition_now) {
    const bool expires = text_argument(fcinfo, 0) != "make";
    if (!can_share() && expires) raise_not_preloaded_for_expiry();
    if (!can_share()) PG_RETURN_TIMESTAMPTZ(GetCurrentTimestamp());
    if (expires) require_writable(fcinfo);
    const TimestampTz now = to_timestamptz(snowid::core::to_micros(require_clock()));
    if (expires) remember_clock();
    PG_RETURN_TIMESTAMPTZ(now);
}

// A change of the layout waits for this lock.
SNOWID_FUNCTION(snowid_partition_layout) {
    table_close(open_extension_table(&ExtensionTables::layout, RowShareLock), NoLock);
    PG_RETURN_DATUM(CStringGetTextDatum(layout_text(recorded_layout())));
}

// The steps of a table: look; if something is due begin, make, expire and end, of which two are repeated.
SNOWID_FUNCTION(snowid_maintain_table) {
    Step step;
    const Oid table = PG_GETARG_OID(0), owner = owner_of(table);
    const std::string_view what = text_argument(fcinfo, 1);
    bool is_done = !OidIsValid(owner), has_more = false;
    if (!is_done && !has_privs_of_role(GetUserId(), owner)) {  // any more
        set_text(step, kFailed + 1, "another role owns it");
        is_done = true;
    } else if (!is_done) {
        if (what == "look" || what == "make" || what == "expire")
            try_step(table, owner, PG_GETARG_DATUM(1), PG_GETARG_INT32(2), PG_GETARG_DATUM(3), step);
        if (what == "look") {
            is_done = step.has(kCovered);
            if (is_done)
                note_run(table, true, step);
            else
                step = {};  // an error comes again
        } else if (what == "begin") {
            note_run(table, false, step);
        } else if (what == "end") {
            note_end(table);
        } else {
            note_step(table, step);
            has_more = step.has(kMade) && step.has(kGone) &&
                       std::max(DatumGetInt32(step.columns[kMade].value), DatumGetInt32(step.columns[kGone].value)) >=
                           PG_GETARG_INT32(3);
        }
    }
    const auto column = [&step](int i) { return RowValue{step.columns[i].value, !step.has(i)}; };
    const RowValue row[] = {column(kMade), column(kGone), column(kFailed + 1), BoolGetDatum(has_more),
                            BoolGetDatum(is_done)};
    return row_datum(fcinfo, row);
}

// Writes nothing if the transaction, or the subtransaction it is called in, rolls back.
SNOWID_FUNCTION(snowid_partition_log) {
    watch();
    MemoryContext before = MemoryContextSwitchTo(TopTransactionContext);
    auto *kept = static_cast<Line *>(palloc(sizeof(Line)));
    *kept = Line{GetCurrentSubTransactionId(), text_to_cstring(PG_GETARG_TEXT_PP(0))};
    lines = lappend(lines, kept);
    MemoryContextSwitchTo(before);
    PG_RETURN_VOID();
}
