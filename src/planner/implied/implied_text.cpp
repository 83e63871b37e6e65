#include "core/id/types.hpp"
#include "core/text/number.hpp"
#include "core/text/prefix.hpp"
#include "core/text/typeid.hpp"
#include "pg/compat.hpp"
#include "pg/node.hpp"
#include "pg/type/inverse.hpp"
#include "planner/implied/implied.hpp"
#include "planner/time_filter.hpp"
#include "server/durable/tables.hpp"
#include "server/seal/keys.hpp"

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
    return may_call(root, server::function_of(get_func_namespace(seal), "id_unseal", kTypes));
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
    for (const Oid table : server::seal_key_tables()) depend_on(root, table);
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

using namespace snowid::core;
using namespace snowid::pg;

// Which id has a text. They stand here and not with each type, whose own input would no longer be inlined.
namespace {

template <std::size_t N>
Datum copied_datum(const Bytes<N> &bytes) {
    void *copy = palloc(N);
    std::memcpy(copy, bytes.data(), N);
    return PointerGetDatum(copy);
}

// Nobody can call these functions: their last argument is internal. Every type reads more texts than the one that it
// writes, and only that one is equal to what it writes. But a text that is not equal finds no row in the end, because
// the filter stays.
template <WideId Id>
Datum id_or_null(FunctionCallInfo fcinfo) {
    return inverse_datum(fcinfo, [](std::string_view given, Datum &found) {
        Id id{};
        if (parse(given, id) != Status::ok) return false;
        found = copied_datum(id.bytes);
        return true;
    });
}

}  // namespace

SNOWID_FUNCTION(snowid_ulid_or_null) { return id_or_null<Ulid>(fcinfo); }
SNOWID_FUNCTION(snowid_ksuid_or_null) { return id_or_null<Ksuid>(fcinfo); }
SNOWID_FUNCTION(snowid_objectid_or_null) { return id_or_null<ObjectId>(fcinfo); }
SNOWID_FUNCTION(snowid_rsxid_or_null) { return id_or_null<Rsxid>(fcinfo); }
SNOWID_FUNCTION(snowid_sandflake_or_null) { return id_or_null<Sandflake>(fcinfo); }
SNOWID_FUNCTION(snowid_sno_or_null) { return id_or_null<Sno>(fcinfo); }

SNOWID_FUNCTION(snowid_typeid_uuid_or_null) {
    if (PG_ARGISNULL(1)) PG_RETURN_NULL();
    const std::string_view prefix = text_argument(fcinfo, 1);
    return inverse_datum(fcinfo, [=](std::string_view given, Datum &found) {
        TypeId id{};
        if (parse(given, id) != Status::ok || id.prefix != prefix) return false;
        found = copied_datum(id.uuid);
        return true;
    });
}

SNOWID_FUNCTION(snowid_id_number_or_null) {
    NumberBase base{};
    if (PG_ARGISNULL(1) || !find_number_base(text_argument(fcinfo, 1), base)) PG_RETURN_NULL();
    return inverse_datum(fcinfo, [=](std::string_view given, Datum &found) {
        std::uint64_t number = 0;
        if (parse_number(base, given, number) != Status::ok) return false;
        found = Int64GetDatum(static_cast<std::int64_t>(number));
        return true;
    });
}
