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

constexpr int kMostArguments = 8;

const char *name_of(Oid table) {
    return quote_qualified_identifier(get_namespace_name(get_rel_namespace(table)), get_rel_name(table));
}

Oid own_table(const char *name) {
    Relation table = open_extension_table(name, AccessShareLock);
    const Oid oid = RelationGetRelid(table);
    table_close(table, NoLock);
    return oid;
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

void execute(const char *sql, int count, const Oid *types, Datum *values, const char *nulls) {
    if (SPI_execute_plan(plan_of(sql, count, types), values, nulls, false, 0) < 0)
        elog(ERROR, "could not execute \"%s\"", sql);
}

std::uint64_t write_own(Oid table, const char *sql, int count, const Oid *types, Datum *values, const char *nulls) {
    const Caller caller = become(owner_of(table));
    SPI_connect();
    execute(psprintf(sql, name_of(table)), count, types, values, nulls);
    const std::uint64_t rows = SPI_processed;
    SPI_finish();
    become(caller);
    return rows;
}

std::uint64_t write_own(const char *table, const char *sql, int count, const Oid *types, Datum *values,
                        const char *nulls) {
    return write_own(own_table(table), sql, count, types, values, nulls);
}

std::uint64_t write_own(const char *table, const char *sql, int count, const Oid *types, FunctionCallInfo fcinfo) {
    Datum values[kMostArguments];
    char nulls[kMostArguments];
    for (int i = 0; i < count; ++i) {
        values[i] = PG_GETARG_DATUM(i);
        nulls[i] = PG_ARGISNULL(i) ? 'n' : ' ';
    }
    return write_own(table, sql, count, types, values, nulls);
}

}  // namespace snowid::server
