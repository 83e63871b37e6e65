#include "server/generator/durable_generator.hpp"

#include "pg/error.hpp"
#include "pg/time.hpp"
#include "server/generator/overflow.hpp"
#include "server/named/claims.hpp"
#include "server/number/number.hpp"
#include "server/number/slots.hpp"
#include "server/shared/clock_guard.hpp"
#include "server/shared/settings.hpp"

extern "C" {
#include "utils/builtins.h"
#include "utils/timestamp.h"
}

namespace snowid::server {
namespace {

[[noreturn]] void raise_going_back(const char *name, TimestampTz time, std::int64_t last_us) {
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("the times given to generator \"%s\" must not go back", name),
                    errdetail("%s is before the last time, %s.", pstrdup(timestamptz_to_str(time)),
                              pstrdup(timestamptz_to_str(pg::to_timestamptz({last_us}))))));
}

[[noreturn]] void raise_future(const char *name, TimestampTz time) {
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("the times given to generator \"%s\" must not be in the future", name),
                    errdetail("%s is ahead of the clock, which says %s, by more than snowid.clock_drift, %s.",
                              pstrdup(timestamptz_to_str(time)), pstrdup(timestamptz_to_str(GetCurrentTimestamp())),
                              pg::shown_duration(settings.clock_drift_ns())),
                    errhint("For such times make a generator with snowid_generator_create(..., backfill => true, "
                            "future => true).")));
}

[[noreturn]] void raise_ahead_of_clock(const char *name, std::int64_t by_ns) {
    ereport(ERROR,
            (errcode(ERRCODE_SYSTEM_ERROR), errmsg("the ids of generator \"%s\" are too far ahead of the clock", name),
             errdetail("The clock says %s. Ids of given times go on when it has moved on by %s.",
                       pstrdup(timestamptz_to_str(GetCurrentTimestamp())), pg::shown_duration(by_ns)),
             errhint("Check the server's time source. If snowid_horizon_advance() was called with a wrong time, a "
                     "superuser can run: SELECT snowid_generator_rewind(%s, now());",
                     quote_literal_cstr(name))));
}

}  // namespace

void GivenTimes::begin(const char *generator, const GeneratorRecord &record, const HorizonRow &row) {
    generator_ = generator;
    are_given_ = record.backfill;
    future_ = record.future;
    is_cut_off_ = is_cut_off(record, row);
    known_ = {row.horizon_ns};
}

std::int64_t GivenTimes::next_reserve_ns(const Slot &slot, core::UnixNanos given) {
    const std::int64_t issued = slot.counters.issued.load(std::memory_order_relaxed);
    const std::int64_t end = future_ ? INT64_MAX : pg::wall_clock().value;
    reserve_ns_ = core::given_reserve_ns(reserve_ns_, issued - issued_before_reserve_, settings.reserve_ns(),
                                         end - std::max<std::int64_t>(given.value, 0));
    issued_before_reserve_ = issued;
    return reserve_ns_;
}

// Many ids of equal times take the ticks that follow. These stay where a restore expects them: see named/claims.hpp.
void GivenTimes::keep_near_clock(Slot &slot, const core::Ticks &ticks, core::UnixNanos horizon) const {
    if (future_) return;
    const std::int64_t ahead = horizon.value - end_of_given_times(ticks).value;
    if (ahead > core::given_lead_ns(ticks, settings.clock_drift_ns())) raise_ahead_of_clock(generator_, ahead);
    if (ahead > 0) await_clock(slot, {pg::wall_clock().value + ahead}, false);
}

core::UnixNanos GivenTimes::give(Slot &slot, TimestampTz time, const char *type, core::UnixMicros first,
                                 core::UnixMicros last) const {
    const core::UnixMicros t = pg::to_unix(time);
    last = std::min(last, core::kLastInNanos);
    if (t < first || t > last) pg::raise_time_out_of_range(type, time, first, last);
    if (!future_ && latest_time() < core::to_nanos(t)) raise_future(generator_, time);
    std::int64_t known = slot.given_us.load();
    while (known < t.value && !slot.given_us.compare_exchange_weak(known, t.value)) {
    }
    if (known > t.value && is_cut_off_) {
        count_refusal(slot, "the last ids of a backfill generator may be lost");
        raise_cut_off(generator_, known_, core::to_nanos({known}));
    }
    if (known > t.value) raise_going_back(generator_, time, known);
    return core::to_nanos(t);
}

void GivenTimes::require() const {
    if (are_given_) return;
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("generator \"%s\" makes ids for the current time only", generator_),
                    errhint("Make one with snowid_generator_create(..., backfill => true).")));
}

void GivenTimes::refuse(Scheme scheme) const {
    if (!are_given_) return;
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("generator \"%s\" makes ids for given times only", generator_),
                    errdetail("It was made with backfill => true."),
                    errhint("Use %s_at(t, %s).", scheme_row(scheme).name, quote_literal_cstr(generator_))));
}

}  // namespace snowid::server
