#include "server/extension/own_trigger.hpp"

#include "server/extension/tables.hpp"

extern "C" {
#include "utils/lsyscache.h"
#include "utils/rel.h"
}

namespace snowid::server {
namespace {

bool is_own(const TriggerData &trigger, TriggerLevel level, const char *table) {
    const bool is_of_row = TRIGGER_FIRED_FOR_ROW(trigger.tg_event) != 0;
    if (is_of_row != (level == TriggerLevel::row)) return false;
    const char *name = table != nullptr ? table : RelationGetRelationName(trigger.tg_relation);
    return extension_table_if_any(name) == RelationGetRelid(trigger.tg_relation);
}

}  // namespace

const TriggerData &own_trigger(FunctionCallInfo fcinfo, TriggerLevel level, const char *table) {
    const auto *trigger = reinterpret_cast<const TriggerData *>(fcinfo->context);
    if (!CALLED_AS_TRIGGER(fcinfo) || !is_own(*trigger, level, table))
        ereport(ERROR, (errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
                        errmsg("%s is a trigger function of the extension's own tables",
                               get_func_name(fcinfo->flinfo->fn_oid))));
    return *trigger;
}

}  // namespace snowid::server
