// Which generators a default's expression names, and the same expression with another name.
#include "pg/arguments.hpp"
#include "pg/compat.hpp"
#include "pg/function.hpp"

extern "C" {
#include "catalog/pg_type_d.h"
#include "nodes/primnodes.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/ruleutils.h"
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

Node *expression_argument(FunctionCallInfo fcinfo) {
    return static_cast<Node *>(stringToNode(text_to_cstring(PG_GETARG_TEXT_PP(0))));
}

void see_names(FunctionCallInfo fcinfo, Node *expression, void (*see)(Const *, void *), void *context) {
    const ArrayType *functions = PG_GETARG_ARRAYTYPE_P(1);
    Names names{reinterpret_cast<const Oid *>(ARR_DATA_PTR(functions)),
                ArrayGetNItems(ARR_NDIM(functions), ARR_DIMS(functions)), see, context};
    walk(expression, &names);
}

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
    see_names(fcinfo, expression_argument(fcinfo), add, &names);
    if (names == nullptr) PG_RETURN_NULL();
    PG_RETURN_DATUM(makeArrayResult(names, CurrentMemoryContext));
}

SNOWID_FUNCTION(snowid_default_renamed) {
    Node *expression = expression_argument(fcinfo);
    Renaming renaming{snowid::pg::text_argument(fcinfo, 2), PG_GETARG_DATUM(3)};
    see_names(fcinfo, expression, rename, &renaming);
    PG_RETURN_DATUM(CStringGetTextDatum(deparse_expression(expression, NIL, false, false)));
}
