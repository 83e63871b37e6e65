#include "server/durable/drop_guard.hpp"

#include "server/durable/tables.hpp"

extern "C" {
#include "commands/extension.h"
#include "fmgr.h"
#include "nodes/parsenodes.h"
#include "utils/builtins.h"
}

namespace snowid::server {
namespace {

constexpr const char *kExtension = "snowid_convert";

bool is_there() { return OidIsValid(get_extension_oid(kExtension, true)); }

// What a function of the extension answers, by its OID, because not everybody may name it.
const char *answer(const char *name) {
    const Oid function = internal_function_if_any(name, kExtension);
    if (!OidIsValid(function)) return nullptr;
    FmgrInfo info;
    fmgr_info(function, &info);
    LOCAL_FCINFO(call, 0);
    InitFunctionCallInfoData(*call, &info, 0, InvalidOid, nullptr, nullptr);
    const Datum tables = FunctionCallInvoke(call);
    return call->isnull ? nullptr : TextDatumGetCString(tables);
}

}  // namespace

bool may_drop_extension(const Node *statement) {
    if (IsA(statement, DropOwnedStmt)) return true;
    if (!IsA(statement, DropStmt)) return false;
    const ObjectType type = reinterpret_cast<const DropStmt *>(statement)->removeType;
    return type == OBJECT_EXTENSION || type == OBJECT_SCHEMA;
}

Conversions conversions() { return {answer("tables_under_way"), answer("tables_with_old_ids")}; }

void require_still_there(const Conversions &had) {
    if ((had.under_way == nullptr && had.with_old_ids == nullptr) || is_there()) return;
    if (had.under_way != nullptr)
        ereport(ERROR,
                (errcode(ERRCODE_OBJECT_IN_USE),
                 errmsg("the extension \"%s\" cannot be dropped while columns are being converted", kExtension),
                 errdetail("Second columns are in %s.", had.under_way),
                 errhint("Complete these conversions with the statements of snowid_convert_plan. Or give them up: "
                         "CALL snowid_convert('...', target => 'bigserial') drops the second columns of numbers, and "
                         "with target => 'uuidv7' those of UUIDs. A trigger \"~snowid_convert\" that is of no "
                         "conversion can be dropped.")));
    ereport(NOTICE,
            (errmsg("old ids are still kept beside the new ones of %s", had.with_old_ids),
             errhint("snowid_convert_undo and snowid_convert_finish need the extension \"%s\" again.", kExtension)));
}

}  // namespace snowid::server
