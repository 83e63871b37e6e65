// What SQL can do with named generators.
#include "pg/arguments.hpp"
#include "pg/layout.hpp"
#include "server/extension/own_trigger.hpp"
#include "server/extension/replicated.hpp"
#include "server/record/changes.hpp"
#include "server/record/generator_record.hpp"
#include "server/record/grants.hpp"

extern "C" {
#include "utils/acl.h"
}

using namespace snowid::server;

namespace {

// Arguments that may be NULL.
struct Arguments {
    FunctionCallInfo call;

    bool has(int n) const { return !call->args[n].isnull; }
    std::string_view text(int n) const { return snowid::pg::text_argument(call, n); }
    bool flag(int n) const { return DatumGetBool(call->args[n].value); }
    void number(int n, const char *part, std::optional<std::uint32_t> &out) const {
        if (!has(n)) return;
        const std::int64_t value = DatumGetInt32(call->args[n].value);
        out = static_cast<std::uint32_t>(snowid::pg::checked_part(value, part, INT32_MAX));
    }
};

void require_given(const Arguments &arguments, int n, const char *what) {
    if (arguments.has(n)) return;
    ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("%s of a generator must not be NULL", what)));
}

Scheme scheme_of(std::string_view name) {
    Scheme scheme{};
    if (find_scheme(name, scheme)) return scheme;
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("there is no scheme \"%s\"", pnstrdup(name.data(), name.size())),
                    errdetail("A generator makes ids of the scheme snowflake or sno.")));
}

// The arguments that create and alter have in common, from the layout on.
void take_claim(const Arguments &arguments, int first, GeneratorRecord &record) {
    if (arguments.has(first)) record.layout = snowid::pg::read_new_layout(arguments.text(first));
    arguments.number(first + 1, "worker", record.worker);
    arguments.number(first + 2, "partition", record.partition);
    arguments.number(first + 3, "sequence_min", record.sequence_min);
    arguments.number(first + 4, "sequence_max", record.sequence_max);
    if (arguments.has(first + 5)) record.overlap = arguments.flag(first + 5);
}

Datum change_grants(FunctionCallInfo fcinfo, const ArrayType *(*change)(const GeneratorRecord &, const char *)) {
    const Arguments arguments{fcinfo};
    begin_change(fcinfo, ACL_UPDATE);
    require_given(arguments, 0, "the name");
    require_given(arguments, 1, "the role");
    const GeneratorRecord before = require_record(arguments.text(0));
    GeneratorRecord after = before;
    after.granted_to = change(before, NameStr(*PG_GETARG_NAME(1)));
    if (after.granted_to != before.granted_to) alter_generator(before, after);
    PG_RETURN_VOID();
}

}  // namespace

SNOWID_FUNCTION(snowid_generator_guard) {
    const TriggerData &trigger = own_trigger(fcinfo, TriggerLevel::statement, "snowid_generator");
    // Another trigger drops its rows one by one.
    if (is_replicated() && !TRIGGER_FIRED_BY_TRUNCATE(trigger.tg_event)) return Datum{0};
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("the table snowid_generator is changed by its functions only"),
                    errhint("Use snowid_generator_alter and snowid_generator_drop.")));
}

SNOWID_FUNCTION(snowid_generator_create) {
    const Arguments arguments{fcinfo};
    begin_change(fcinfo, ACL_INSERT);
    require_given(arguments, 0, "the name");
    require_given(arguments, 1, "the scheme");
    GeneratorRecord record{};
    take_name(arguments.text(0), record);
    record.scheme = scheme_of(arguments.text(1));
    take_claim(arguments, 2, record);
    record.backfill = arguments.has(8) && arguments.flag(8);
    create_generator(record, {});
    PG_RETURN_VOID();
}

SNOWID_FUNCTION(snowid_generator_alter) {
    const Arguments arguments{fcinfo};
    begin_change(fcinfo, ACL_UPDATE);
    require_given(arguments, 0, "the name");
    const GeneratorRecord before = require_record(arguments.text(0));
    GeneratorRecord after = before;
    if (arguments.has(1)) take_name(arguments.text(1), after);
    take_claim(arguments, 2, after);
    alter_generator(before, after);
    PG_RETURN_VOID();
}

SNOWID_FUNCTION(snowid_generator_drop) {
    const Arguments arguments{fcinfo};
    begin_change(fcinfo, ACL_DELETE);
    require_given(arguments, 0, "the name");
    drop_generator(require_record(arguments.text(0)));
    PG_RETURN_VOID();
}

SNOWID_FUNCTION(snowid_generator_grant) { return change_grants(fcinfo, granted); }

SNOWID_FUNCTION(snowid_generator_revoke) { return change_grants(fcinfo, revoked); }
