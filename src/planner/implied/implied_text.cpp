#include "core/text/number.hpp"
#include "core/text/prefix.hpp"

#include "pg/compat.hpp"
#include "pg/node.hpp"
#include "planner/implied/implied.hpp"
#include "planner/time_filter.hpp"
#include "server/seal/ciphers.hpp"

extern "C" {
#include "catalog/pg_type_d.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
}

namespace snowid::planner {
namespace {

// A plan can show which id it looks for. So it opens tokens only for those who may open them.
bool may_unseal(PlannerInfo *root, Oid seal) {
    constexpr Oid kTypes[] = {TEXTOID, TEXTOID};
    return may_call(root, function_of(get_func_namespace(seal), "id_unseal", kTypes));
}

// The name of the inverse function, or nullptr if nothing can be implied.
const char *inverse_of(PlannerInfo *root, const Source &text) {
    const Node *argument = pg::nth(text.args, 1);
    const auto given = argument == nullptr ? std::string_view() : constant_text(argument);
    core::NumberBase base{};
    switch (text.kind) {
        case SourceKind::seal:
            return given && core::is_prefix(*given) && may_unseal(root, text.function) && server::has_seal_keys()
                       ? "id_unseal_or_null"
                       : nullptr;
        case SourceKind::typeid_text:
            return given && (given->empty() || core::is_prefix(*given)) ? "typeid_uuid_or_null" : nullptr;
        case SourceKind::number: return given && core::find_number_base(*given, base) ? "id_number_or_null" : nullptr;
        case SourceKind::text: return psprintf("%s_or_null", type_name(exprType(text.id)));
        case SourceKind::none:
        case SourceKind::time: break;
    }
    return nullptr;
}

bool is_constant(const List *args) {
    const ListCell *cell;
    foreach (cell, args)
        if (pg::as<Const>(lfirst(cell)) == nullptr) return false;
    return true;
}

// What PostgreSQL would not fold, because it depends on the keys. The plan is made again when those change.
Node *folded(PlannerInfo *root, const Source &text, Node *call) {
    const auto *function = pg::as<FuncExpr>(call);
    if (text.kind != SourceKind::seal || function == nullptr || !is_constant(function->args)) return call;
    for (const Oid table : server::seal_key_tables())
        root->glob->relationOids = list_append_unique_oid(root->glob->relationOids, table);
    return estimate_expression_value(root, call);
}

}  // namespace

List *implied_by_text(PlannerInfo *root, const Source &text, Node *other) {
    const char *name = inverse_of(root, text);
    if (name == nullptr) return NIL;
    const Oid type = exprType(other);
    const bool is_array = OidIsValid(get_element_type(type));
    List *args = list_make1(as_type(copied(other), is_array ? TEXTARRAYOID : TEXTOID));
    if (const Node *argument = pg::nth(text.args, 1)) args = lappend(args, copied(argument));
    args = lappend(args, makeNullConst(INTERNALOID, -1, InvalidOid));
    Node *id = internal_call(root, name, args);
    if (id == nullptr) return NIL;
    id = folded(root, text, id);
    if (!is_array) return list_make1(make_comparison(copied(text.id), BTEqualStrategyNumber, id));
    auto *element = reinterpret_cast<Node *>(makeNullConst(get_element_type(exprType(id)), -1, InvalidOid));
    auto *equal_one = reinterpret_cast<OpExpr *>(make_comparison(copied(text.id), BTEqualStrategyNumber, element));
    auto *any = makeNode(ScalarArrayOpExpr);
    any->opno = equal_one->opno;
    any->opfuncid = equal_one->opfuncid;
    any->useOr = true;
    any->args = list_make2(pg::nth(equal_one->args, 0), id);
    any->location = -1;
    return list_make1(any);
}

}  // namespace snowid::planner
