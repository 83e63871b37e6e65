#include "server/durable/own_trigger.hpp"

#include "pg/compat.hpp"
#include "server/durable/tables.hpp"

extern "C" {
#include "commands/extension.h"
#include "replication/logicalworker.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
}

namespace snowid::server {
namespace {

bool is_of_kind(TriggerEvent event, TriggerKind kind) {
    const bool is_of_row = TRIGGER_FIRED_FOR_ROW(event) != 0;
    switch (kind) {
        case TriggerKind::statement: return !is_of_row;
        case TriggerKind::before_row: return is_of_row && TRIGGER_FIRED_BEFORE(event);
        case TriggerKind::before_insert:
            return is_of_row && TRIGGER_FIRED_BEFORE(event) && TRIGGER_FIRED_BY_INSERT(event);
        case TriggerKind::after_insert: break;
    }
    return is_of_row && TRIGGER_FIRED_AFTER(event) && TRIGGER_FIRED_BY_INSERT(event);
}

bool is_own(const TriggerData &trigger, TriggerKind kind, const char *table) {
    if (!is_of_kind(trigger.tg_event, kind)) return false;
    const Oid oid = RelationGetRelid(trigger.tg_relation);
    if (table == nullptr && oid == conversions_table_if_any()) return true;
    const char *name = table != nullptr ? table : RelationGetRelationName(trigger.tg_relation);
    return extension_table_if_any(name) == oid;
}

}  // namespace

const TriggerData &own_trigger(FunctionCallInfo fcinfo, TriggerKind kind, const char *table) {
    const auto *trigger = reinterpret_cast<const TriggerData *>(fcinfo->context);
    if (!CALLED_AS_TRIGGER(fcinfo) || !is_own(*trigger, kind, table))
        ereport(ERROR, (errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
                        errmsg("%s is a trigger function of the extension's own tables",
                               get_func_name(fcinfo->flinfo->fn_oid))));
    return *trigger;
}

bool is_replicated() { return (IsLogicalWorker() || pg::has_replication_origin()) && !creating_extension; }

}  // namespace snowid::server
