// Which generators a default's expression names, and the same expression with another name. A default is named by its
// place in the catalogue, because an expression from elsewhere may hold what no default does.
#include "pg/compat.hpp"
#include "pg/function.hpp"
#include "pg/type/arguments.hpp"

extern "C" {
#include "access/genam.h"
#include "access/table.h"
#include "catalog/pg_attrdef.h"
#include "catalog/pg_type.h"
#include "nodes/primnodes.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"
#include "utils/syscache.h"
}

namespace {

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
    return snowid::pg::walk_expression(node, walk, context);
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
    if (snowid::pg::view_of(DatumGetTextPP(name->constvalue)) == renaming.before) name->constvalue = renaming.after;
}

}  // namespace

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
