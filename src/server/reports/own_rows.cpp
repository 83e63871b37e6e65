#include "server/reports/own_rows.hpp"

#include "server/durable/tables.hpp"
#include "server/shared/owner.hpp"

extern "C" {
#include "access/table.h"
#include "executor/spi.h"
#include "nodes/parsenodes.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
}

namespace snowid::server {
namespace {

const char *name_of(Oid table) {
    return quote_qualified_identifier(get_namespace_name(get_rel_namespace(table)), get_rel_name(table));
}

// A job runs the same few statements for each table, so a session keeps their plans. Each is for all arguments. What
// has no place is planned each time: a plan that is given up might be one that runs.
struct Prepared {
    const char *sql;
    SPIPlanPtr plan;
};
constinit std::array<Prepared, 16> prepared{};
constinit std::size_t count_prepared = 0;

SPIPlanPtr plan_of(const char *sql, int count, const Oid *types) {
    for (std::size_t i = 0; i < count_prepared; ++i)
        if (std::strcmp(prepared[i].sql, sql) == 0) return prepared[i].plan;
    SPIPlanPtr plan = SPI_prepare_cursor(sql, count, const_cast<Oid *>(types), CURSOR_OPT_GENERIC_PLAN);
    if (plan == nullptr) elog(ERROR, "could not prepare \"%s\"", sql);
    if (count_prepared == prepared.size()) return plan;
    const char *text = MemoryContextStrdup(TopMemoryContext, sql);
    if (SPI_keepplan(plan) == 0) prepared[count_prepared++] = {text, plan};
    return plan;
}

}  // namespace

Arguments arguments_of(FunctionCallInfo fcinfo) {
    Oid *types = nullptr;
    int count = 0;
    get_func_signature(fcinfo->flinfo->fn_oid, &types, &count);
    auto *arguments = static_cast<Argument *>(palloc(sizeof(Argument) * static_cast<Size>(count)));
    for (int i = 0; i < count; ++i) arguments[i] = {types[i], PG_GETARG_DATUM(i), PG_ARGISNULL(i)};
    return {arguments, static_cast<std::size_t>(count)};
}

void execute(const char *sql, Arguments arguments) {
    Oid types[FUNC_MAX_ARGS];
    Datum values[FUNC_MAX_ARGS];
    char nulls[FUNC_MAX_ARGS];
    int count = 0;
    for (const Argument &argument : arguments) {
        types[count] = argument.type;
        values[count] = argument.value;
        nulls[count++] = argument.is_null ? 'n' : ' ';
    }
    if (SPI_execute_plan(plan_of(sql, count, types), values, nulls, false, 0) < 0)
        elog(ERROR, "could not execute \"%s\"", sql);
}

std::uint64_t write_own(Oid table, const char *sql, Arguments arguments) {
    const Caller caller = become(owner_of(table));
    SPI_connect();
    execute(psprintf(sql, name_of(table)), arguments);
    const std::uint64_t rows = SPI_processed;
    SPI_finish();
    become(caller);
    return rows;
}

std::uint64_t write_own(const char *table, const char *sql, Arguments arguments) {
    Relation own = open_extension_table(table, AccessShareLock);
    const Oid oid = RelationGetRelid(own);
    table_close(own, NoLock);
    return write_own(oid, sql, arguments);
}

}  // namespace snowid::server
