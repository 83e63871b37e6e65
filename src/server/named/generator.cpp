// SQL functions for named generators.
#include "pg/error.hpp"
#include "pg/time.hpp"
#include "pg/type/arguments.hpp"
#include "server/durable/own_trigger.hpp"
#include "server/named/changes.hpp"
#include "server/named/claims.hpp"
#include "server/named/generator_record.hpp"
#include "server/named/grants.hpp"
#include "server/shared/shared.hpp"

extern "C" {
#include "access/xlog.h"
#include "utils/acl.h"
}

using namespace snowid::core;
using namespace snowid::pg;
using namespace snowid::server;

namespace {

// Arguments that may be NULL.
struct Arguments {
    FunctionCallInfo call;

    bool has(int n) const { return !call->args[n].isnull; }
    std::string_view text(int n) const { return text_argument(call, n); }
    bool flag(int n) const { return DatumGetBool(call->args[n].value); }
    void number(int n, const char *part, std::optional<std::uint32_t> &out) const {
        if (!has(n)) return;
        const std::int64_t value = DatumGetInt32(call->args[n].value);
        out = static_cast<std::uint32_t>(checked_part(value, part, INT32_MAX));
    }
};

// The arguments that create and alter have in common, starting with the layout.
void take_claim(const Arguments &arguments, int first, GeneratorRecord &record) {
    if (arguments.has(first)) record.layout = read_new_layout(arguments.text(first));
    arguments.number(first + 1, "worker", record.worker);
    arguments.number(first + 2, "partition", record.partition);
    arguments.number(first + 3, "sequence_min", record.sequence_min);
    arguments.number(first + 4, "sequence_max", record.sequence_max);
    if (arguments.has(first + 5)) record.overlap = arguments.flag(first + 5);
}

// A generator that was made shortly before a restore or a failover may be gone with all its ids. No record shows that
// its number was used.
void notice_loss(const GeneratorRecord &record) {
    if (this_history().timeline() == 1) return;
    const char *number = scheme_row(record.scheme).number_name;
    ereport(NOTICE,
            (errmsg("this server was restored or has failed over"),
             errdetail("If a generator with the same %s was lost then, generator \"%s\" can make its ids again.",
                       number, record.name),
             errhint("Give it a %s that was not in use then.", number)));
}

GeneratorRecord record_argument(FunctionCallInfo fcinfo) {
    require_argument(fcinfo, 0, "the name of a generator");
    return require_record(text_argument(fcinfo, 0));
}

Datum grant_or_revoke(FunctionCallInfo fcinfo, ChangeGrants change) {
    begin_change(fcinfo, ACL_UPDATE);
    const GeneratorRecord record = record_argument(fcinfo);
    require_argument(fcinfo, 1, "the role of a generator");
    change_grants(record, change, NameStr(*PG_GETARG_NAME(1)));
    PG_RETURN_VOID();
}

}  // namespace

SNOWID_FUNCTION(snowid_generator_guard) {
    const TriggerData &trigger = own_trigger(fcinfo, TriggerKind::statement, "generator");
    // Another trigger drops replicated rows one by one.
    if (is_replicated() && !TRIGGER_FIRED_BY_TRUNCATE(trigger.tg_event)) return Datum{0};
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("cannot change the table _snowid.generator directly"),
                    errhint("Use snowid_generator_alter and snowid_generator_drop.")));
}

SNOWID_FUNCTION(snowid_generator_create) {
    const Arguments arguments{fcinfo};
    begin_change(fcinfo, ACL_INSERT);
    require_argument(fcinfo, 0, "the name of a generator");
    require_argument(fcinfo, 1, "the scheme of a generator");
    GeneratorRecord record{};
    take_name(arguments.text(0), record);
    record.scheme = scheme_named(arguments.text(1));
    take_claim(arguments, 2, record);
    record.backfill = arguments.has(8) && arguments.flag(8);
    record.future = arguments.has(9) && arguments.flag(9);
    if (record.future && !record.backfill)
        raise_bad_record(record.name, "Only the times of a backfill generator can be in the future.",
                         "Add backfill => true.");
    create_generator(record, {});
    if (record.backfill) notice_loss(record);
    PG_RETURN_VOID();
}

SNOWID_FUNCTION(snowid_generator_alter) {
    const Arguments arguments{fcinfo};
    begin_change(fcinfo, ACL_UPDATE);
    const GeneratorRecord before = record_argument(fcinfo);
    GeneratorRecord after = before;
    if (arguments.has(1)) take_name(arguments.text(1), after);
    take_claim(arguments, 2, after);
    alter_generator(before, after);
    PG_RETURN_VOID();
}

SNOWID_FUNCTION(snowid_generator_drop) {
    begin_change(fcinfo, ACL_DELETE);
    drop_generator(record_argument(fcinfo));
    PG_RETURN_VOID();
}

SNOWID_FUNCTION(snowid_generator_grant) { return grant_or_revoke(fcinfo, grant); }

SNOWID_FUNCTION(snowid_generator_revoke) { return grant_or_revoke(fcinfo, revoke); }

// For snowid_check(). A standby knows no answer yet.
SNOWID_FUNCTION(snowid_may_have_lost) {
    HorizonRow row{};
    if (RecoveryInProgress() || !read_horizon(PG_GETARG_INT64(0), row)) PG_RETURN_BOOL(false);
    if (shared == nullptr && can_share()) attach_shared();
    PG_RETURN_BOOL(!goes_on(row.history()));
}

// Whoever calls this answers for it that nothing was lost.
SNOWID_FUNCTION(snowid_generator_accept) {
    begin_change(fcinfo, ACL_UPDATE);
    const GeneratorRecord record = record_argument(fcinfo);
    if (!accept_generator(record))
        ereport(NOTICE, (errmsg("generator \"%s\" lost nothing, or has made ids since", record.name)));
    PG_RETURN_VOID();
}

SNOWID_FUNCTION(snowid_generator_rewind) {
    begin_change(fcinfo, ACL_UPDATE);
    const GeneratorRecord record = record_argument(fcinfo);
    if (!record.backfill)
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("generator \"%s\" makes ids for the current time only", record.name),
                        errdetail("Only generators that were made with backfill => true can start over."),
                        errhint("If the clock leapt to a wrong time, use snowid_horizon_rewind.")));
    require_argument(fcinfo, 1, "the time of the rewind");
    const TimestampTz time = PG_GETARG_TIMESTAMPTZ(1);
    const UnixMicros t = to_unix(time), first{0}, last = kLastInNanos;
    if (t < first || t > last) raise_time_out_of_range("snowid_generator", time, first, last);
    const UnixNanos to = to_nanos(t);
    HorizonRow row{};
    if (!read_horizon(record.id, row)) raise_horizon_missing();
    require_all_ids(record, row);
    if (to.value >= row.horizon_ns)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("generator \"%s\" has not reached that time", record.name),
                        errdetail("All its ids have times before %s.", shown_time({row.horizon_ns}))));
    rewind_generator(record, to);
    ereport(WARNING, (errmsg("ids of generator \"%s\" from %s to %s may be made a second time", record.name,
                             shown_time(to), shown_time({row.horizon_ns})),
                      errhint("That is safe only if none of them is kept.")));
    PG_RETURN_VOID();
}
