#include "server/named/changes.hpp"

#include "pg/compat.hpp"
#include "pg/type/arguments.hpp"
#include "server/durable/tables.hpp"
#include "server/shared/owner.hpp"

extern "C" {
#include "access/genam.h"
#include "access/table.h"
#include "catalog/pg_attrdef.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "nodes/primnodes.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"
#include "utils/syscache.h"
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

// Calls `see` with each constant text that is passed to one of the functions. Each of them takes one text, the
// generator.
struct Names {
    const Oid *functions;
    int function_count;
    void (*see)(Const *name, void *context);
    void *context;

    bool has(Oid function) const {
        return std::find(functions, functions + function_count, function) != functions + function_count;
    }
};

template <typename Wrapper>
Node *inside(Node *node) {
    return reinterpret_cast<Node *>(reinterpret_cast<Wrapper *>(node)->arg);
}

// The argument without its name (as in generator => 'orders'), its collation, and casts that do not change it.
Node *bare(Node *node) {
    for (;;) {
        if (IsA(node, RelabelType))
            node = inside<RelabelType>(node);
        else if (IsA(node, NamedArgExpr))
            node = inside<NamedArgExpr>(node);
        else if (IsA(node, CollateExpr))
            node = inside<CollateExpr>(node);
        else if (IsA(node, CoerceToDomain))
            node = inside<CoerceToDomain>(node);
        else
            return node;
    }
}

void see_arguments(const FuncExpr &call, const Names &names) {
    const ListCell *cell = nullptr;
    foreach (cell, call.args) {
        Node *argument = bare(static_cast<Node *>(lfirst(cell)));
        if (!IsA(argument, Const)) continue;
        auto *constant = reinterpret_cast<Const *>(argument);
        if (!constant->constisnull && (constant->consttype == TEXTOID || constant->consttype == VARCHAROID))
            names.see(constant, names.context);
    }
}

bool walk(Node *node, void *context) {
    if (node == nullptr) return false;
    const auto &names = *static_cast<const Names *>(context);
    if (IsA(node, FuncExpr))
        if (const auto &call = *reinterpret_cast<FuncExpr *>(node); names.has(call.funcid)) see_arguments(call, names);
    return pg::walk_expression(node, walk, context);
}

// An expression that may name generators: the default of a column or of a domain.
struct Default {
    Node *expression;  // nullptr if there is none
    Oid table;         // that it belongs to, if it is of a column
};

Node *node_in(Datum tree, bool is_null) {
    return is_null ? nullptr : static_cast<Node *>(stringToNode(TextDatumGetCString(tree)));
}

Default default_of_column(Oid oid) {
    Default found{};
    ScanKeyData key;
    ScanKeyInit(&key, Anum_pg_attrdef_oid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(oid));
    Relation defaults = table_open(AttrDefaultRelationId, AccessShareLock);
    SysScanDesc scan = systable_beginscan(defaults, AttrDefaultOidIndexId, true, nullptr, 1, &key);
    if (HeapTuple tuple = systable_getnext(scan)) {
        bool is_null = false;
        const Datum tree = heap_getattr(tuple, Anum_pg_attrdef_adbin, RelationGetDescr(defaults), &is_null);
        found = {node_in(tree, is_null), reinterpret_cast<Form_pg_attrdef>(GETSTRUCT(tuple))->adrelid};
    }
    systable_endscan(scan);
    table_close(defaults, AccessShareLock);
    return found;
}

Default default_of_domain(Oid oid) {
    HeapTuple tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(oid));
    if (!HeapTupleIsValid(tuple)) return {};
    bool is_null = false;
    const Datum tree = SysCacheGetAttr(TYPEOID, tuple, Anum_pg_type_typdefaultbin, &is_null);
    Default found{node_in(tree, is_null), InvalidOid};
    ReleaseSysCache(tuple);
    return found;
}

// The first two arguments: a catalogue, and a row of it.
Default default_argument(FunctionCallInfo fcinfo) {
    const Oid catalogue = PG_GETARG_OID(0), object = PG_GETARG_OID(1);
    if (catalogue == AttrDefaultRelationId) return default_of_column(object);
    return catalogue == TypeRelationId ? default_of_domain(object) : Default{};
}

void see_names(FunctionCallInfo fcinfo, Node *expression, void (*see)(Const *, void *), void *context) {
    Datum *elements = nullptr;
    bool *nulls = nullptr;
    int count = 0;
    deconstruct_array(PG_GETARG_ARRAYTYPE_P(2), OIDOID, sizeof(Oid), true, TYPALIGN_INT, &elements, &nulls, &count);
    auto *functions = static_cast<Oid *>(palloc(sizeof(Oid) * static_cast<Size>(count)));
    std::transform(elements, elements + count, functions,
                   [](Datum oid) { return DatumGetObjectId(oid); });  // NULL is 0
    Names names{functions, count, see, context};
    walk(expression, &names);
}

const char *text_of_default(const Default &of) {
    const char *table = OidIsValid(of.table) ? get_rel_name(of.table) : nullptr;
    List *columns = table == nullptr ? NIL : deparse_context_for(table, of.table);
    return deparse_expression(of.expression, columns, false, false);
}

// A generator's name in expressions, and the constant that takes its place.
struct Renaming {
    std::string_view before;
    Datum after;
};

void rename(Const *name, void *context) {
    const auto &renaming = *static_cast<const Renaming *>(context);
    if (pg::view_of(DatumGetTextPP(name->constvalue)) == renaming.before) name->constvalue = renaming.after;
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

using namespace snowid::server;

// Which generators a default's expression names, and the same expression with another name. A default is named by its
// place in the catalogue, because an expression from elsewhere may hold what no default does.
SNOWID_FUNCTION(snowid_generators_named) {
    ArrayBuildState *names = nullptr;
    const auto add = [](Const *name, void *state) {
        auto *&all = *static_cast<ArrayBuildState **>(state);
        all = accumArrayResult(all, name->constvalue, false, TEXTOID, CurrentMemoryContext);
    };
    see_names(fcinfo, default_argument(fcinfo).expression, add, &names);
    if (names == nullptr) PG_RETURN_NULL();
    PG_RETURN_DATUM(makeArrayResult(names, CurrentMemoryContext));
}

SNOWID_FUNCTION(snowid_default_renamed) {
    const Default found = default_argument(fcinfo);
    if (found.expression == nullptr) PG_RETURN_NULL();
    Renaming renaming{snowid::pg::text_argument(fcinfo, 3), PG_GETARG_DATUM(4)};
    see_names(fcinfo, found.expression, rename, &renaming);
    PG_RETURN_DATUM(CStringGetTextDatum(text_of_default(found)));
}
