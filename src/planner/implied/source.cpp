#include "planner/implied/implied.hpp"

#include "pg/node.hpp"
#include "pg/type/arguments.hpp"
#include "planner/time_filter.hpp"
#include "server/durable/tables.hpp"

extern "C" {
#include "access/transam.h"
#include "catalog/namespace.h"
#include "catalog/pg_collation_d.h"
#include "catalog/pg_type_d.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/planmain.h"
#include "utils/lsyscache.h"
}

// The planner calls these while it simplifies, which also loads the library in time for its hooks.
SNOWID_FUNCTION(snowid_implied_time_support) { return Datum{0}; }
SNOWID_FUNCTION(snowid_implied_seal_support) { return Datum{0}; }
SNOWID_FUNCTION(snowid_implied_typeid_support) { return Datum{0}; }
SNOWID_FUNCTION(snowid_implied_number_support) { return Datum{0}; }
SNOWID_FUNCTION(snowid_implied_text_support) { return Datum{0}; }

namespace snowid::planner {
namespace {

SourceKind kind_of_function(Oid function) {
    constexpr struct {
        PGFunction support;
        SourceKind kind;
    } kKinds[] = {{snowid_implied_time_support, SourceKind::time},
                  {snowid_implied_seal_support, SourceKind::seal},
                  {snowid_implied_typeid_support, SourceKind::typeid_text},
                  {snowid_implied_number_support, SourceKind::number},
                  {snowid_implied_text_support, SourceKind::text}};
    if (function < FirstNormalObjectId) return SourceKind::none;
    const PGFunction support = support_of(function);
    for (const auto &known : kKinds)
        if (support == known.support) return known.kind;
    return SourceKind::none;
}

// Sets all but what concerns the id, which it returns.
Node *read_call(Node *expression, Source &out) {
    if (const auto *call = pg::as<FuncExpr>(expression)) {
        out.kind = kind_of_function(call->funcid);
        out.function = call->funcid;
        out.args = call->args;
        return out.kind == SourceKind::none || out.kind == SourceKind::text ? nullptr : pg::nth(call->args, 0);
    }
    const auto *cast = pg::as<CoerceViaIO>(expression);
    if (cast == nullptr || (cast->resulttype != TEXTOID && cast->resulttype != VARCHAROID)) return nullptr;
    auto *id = reinterpret_cast<Node *>(cast->arg);
    bool is_varlena = false;
    getTypeOutputInfo(exprType(id), &out.function, &is_varlena);
    out.kind = kind_of_function(out.function);
    return out.kind == SourceKind::text ? id : nullptr;
}

}  // namespace

Node *bare(Node *expression, Relids &nulling) {
    for (;;) {
        if (const auto *relabel = pg::as<RelabelType>(expression)) {
            expression = reinterpret_cast<Node *>(relabel->arg);
        } else if (const auto *holder = pg::as<PlaceHolderVar>(expression)) {
            nulling = pg::with_nulling_of(nulling, holder);
            expression = reinterpret_cast<Node *>(holder->phexpr);
        } else {
            return expression;
        }
    }
}

Source read_source(Node *expression, Relids nulling) {
    Source found{};
    Node *id = read_call(bare(expression, nulling), found);
    if (id == nullptr) return {};
    const auto *column = pg::as<Var>(bare(id, nulling));
    if (column == nullptr || column->varlevelsup != 0 || column->varattno <= 0) return {};
    found.relation = static_cast<Index>(column->varno);
    found.column = column->varattno;
    found.id = as_type(pg::nulled_by(copied(column), nulling), getBaseType(exprType(id)));
    return found;
}

std::optional<std::string_view> constant_text(const Node *argument) {
    const Const *constant = pg::known(argument);
    if (constant == nullptr || constant->consttype != TEXTOID) return std::nullopt;
    return pg::view_of(DatumGetTextPP(constant->constvalue));
}

bool may_call(PlannerInfo *root, Oid function) {
    if (!OidIsValid(function)) return false;
    root->glob->dependsOnRole = true;
    record_plan_function_dependency(root, function);
    return pg::may_execute(function);
}

Node *internal_call(PlannerInfo *root, const char *name, List *args) {
    const Oid function = function_of(get_namespace_oid(server::kInternalSchema, true), name, args);
    if (!may_call(root, function)) return nullptr;
    FuncExpr *call = makeFuncExpr(function, get_func_rettype(function), args, InvalidOid, DEFAULT_COLLATION_OID,
                                  COERCE_EXPLICIT_CALL);
    return eval_const_expressions(root, reinterpret_cast<Node *>(call));
}

}  // namespace snowid::planner
