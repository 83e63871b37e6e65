#include "server/named/uses.hpp"

#include "pg/compat.hpp"
#include "server/durable/tables.hpp"
#include "server/shared/owner.hpp"

extern "C" {
#include "catalog/pg_type_d.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
}

namespace snowid::server {
namespace {

// The schema of what is internal can have got another name, and somebody else can have made one of its name.
bool can_see_uses() { return OidIsValid(internal_function_if_any("default_uses")); }

// Queries see only the catalogue's names, whatever the caller's search_path is.
int begin_queries() {
    SPI_connect();
    const int level = NewGUCNestLevel();
    set_config_option("search_path", "pg_catalog, pg_temp", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0,
                      false);
    return level;
}

void end_queries(int level) {
    AtEOXact_GUC(true, level);
    SPI_finish();
}

// Runs a query with two texts as $1 and $2.
void query_uses(const char *query, const char *generator, const char *other) {
    Oid types[] = {TEXTOID, TEXTOID};
    Datum values[] = {CStringGetTextDatum(generator), CStringGetTextDatum(other)};
    SPI_execute_with_args(query, std::size(types), types, values, nullptr, true, 0);
}

const char *value_of(std::uint64_t row, int column) {
    return SPI_getvalue(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, column);
}

// The first few uses, all or only those that the user does not own, in the caller's memory context; nullptr if there is
// none.
const char *find_uses(const char *generator, bool only_of_others) {
    MemoryContext caller = CurrentMemoryContext;
    const int level = begin_queries();
    query_uses(
        "SELECT string_agg(what, ', ' ORDER BY what) FILTER (WHERE n <= 5)"
        " || CASE WHEN count(*) > 5 THEN format(' and %s more', count(*) - 5) ELSE '' END"
        " FROM (SELECT what, row_number() OVER (ORDER BY what) AS n FROM _snowid.default_uses()"
        " WHERE generator = $1 AND ($2 = '' OR NOT pg_has_role(owner, 'USAGE')) GROUP BY what) AS u",
        generator, only_of_others ? "others" : "");
    const char *names = value_of(0, 1);
    if (names != nullptr) names = MemoryContextStrdup(caller, names);
    end_queries(level);
    return names;
}

// Statements, so that the table is locked and event triggers fire. Each is run as the owner of the table or domain,
// because PostgreSQL evaluates constants in the text of the default.
void alter_defaults(const char *before, const char *after) {
    const int level = begin_queries();
    query_uses(
        "SELECT DISTINCT ON (classid, objid) statement || ' ' ||"
        " _snowid.default_renamed(classid, objid, functions, $1, $2), owner"
        " FROM _snowid.default_uses() WHERE generator = $1",
        before, after);
    const SPITupleTable *table = SPI_tuptable;
    const std::uint64_t count = SPI_processed;
    for (std::uint64_t i = 0; i < count; ++i) {
        bool is_null = false;
        const Oid owner = DatumGetObjectId(SPI_getbinval(table->vals[i], table->tupdesc, 2, &is_null));
        const char *statement = SPI_getvalue(table->vals[i], table->tupdesc, 1);
        as_role(owner, [statement] { SPI_execute(statement, false, 0); });
    }
    end_queries(level);
}

}  // namespace

void require_unused(const char *generator) {
    if (!can_see_uses()) return;
    const char *uses = find_uses(generator, false);
    if (uses == nullptr) return;
    ereport(ERROR, (errcode(ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST),
                    errmsg("cannot drop generator \"%s\", because defaults use it", generator),
                    errdetail("It makes the ids of %s.", uses),
                    errhint("Give them another default first, with ALTER ... SET DEFAULT.")));
}

void rename_uses(const char *before, const char *after) {
    if (!can_see_uses()) return;
    const char *others = find_uses(before, true);
    if (others != nullptr)
        ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                        errmsg("cannot rename generator \"%s\", because defaults of others use it", before),
                        errdetail("\"%s\" does not own %s.", GetUserNameFromId(GetUserId(), false), others),
                        errhint("A role that owns all of them, or a superuser, can rename it.")));
    alter_defaults(before, after);
}

}  // namespace snowid::server
