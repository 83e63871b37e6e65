// A generator's state as one value, with which another server can continue it: its record, and the horizon above which
// it continues.
#include "pg/error.hpp"
#include "pg/time.hpp"
#include "pg/type/arguments.hpp"
#include "server/durable/layout_record.hpp"
#include "server/named/changes.hpp"
#include "server/named/claims.hpp"
#include "server/shared/settings.hpp"

extern "C" {
#include "common/hashfn.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"
}

using namespace snowid::core;
using namespace snowid::pg;
using namespace snowid::server;

namespace {

// The columns of the type snowid_snapshot. The first ones are those of the record.
constexpr int kHorizon = kRecordColumns, kSafe = kHorizon + 1, kToggles = kSafe + 1, kTaken = kToggles + 1,
              kChecksum = kTaken + 1, kColumns = kChecksum + 1;

// The fields of a snapshot: the record, how far its ids have come, and what guards the text.
struct GeneratorState {
    Datum values[kColumns];
    bool nulls[kColumns];

    std::int64_t number(int column) const { return nulls[column] ? 0 : DatumGetInt64(values[column]); }
    const char *shown(int column) const { return nulls[column] ? "" : TextDatumGetCString(values[column]); }
    UsedUp used_up() const { return {{number(kHorizon)}, number(kSafe), static_cast<std::uint64_t>(number(kToggles))}; }
};

// What the checksum is of.
std::string_view text_of(const GeneratorState &snapshot) {
    StringInfoData all;
    initStringInfo(&all);
    for (const int column : {kNameColumn, kSchemeColumn, kLayoutColumn})
        appendStringInfo(&all, "%s,", snapshot.shown(column));
    for (int i = kWorkerColumn; i < kChecksum; ++i)
        appendStringInfo(&all, "%d" UINT64_FORMAT ",", snapshot.nulls[i],
                         snapshot.nulls[i] ? 0 : static_cast<std::uint64_t>(snapshot.values[i]));
    return {all.data, static_cast<std::size_t>(all.len)};
}

// Detects a value that was cut short or mistyped. Every processor computes the same.
std::int64_t checksum_of(std::string_view text) {
    std::uint64_t sum = 0;
    for (const char c : text) sum = hash_bytes_uint32_extended(static_cast<unsigned char>(c), sum);
    return static_cast<std::int64_t>(sum);
}

// Whether it has what every snapshot has. The checksum cannot prove that, because anyone can compute one.
bool is_whole(const GeneratorState &snapshot) {
    for (int i = kNameColumn; i < kColumns; ++i)
        if (snapshot.nulls[i] && (i < kLayoutColumn || i > kMaxColumn)) return false;
    Scheme scheme{};
    if (!find_scheme(snapshot.shown(kSchemeColumn), scheme)) return false;
    const TimestampTz taken = DatumGetTimestampTz(snapshot.values[kTaken]);
    return (!scheme_row(scheme).has_layout || !snapshot.nulls[kLayoutColumn]) && snapshot.used_up().is_sound() &&
           taken > 0;
}

[[noreturn]] void raise_damaged() {
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("the snapshot of a generator is damaged"),
                    errdetail("It is not what snowid_generator_snapshot returned.")));
}

GeneratorState snapshot_argument(FunctionCallInfo fcinfo, int n) {
    Oid types[kColumns];
    std::fill_n(std::copy_n(kTableTypes, kRecordColumns, types), kColumns - kRecordColumns, INT8OID);
    types[kTaken] = TIMESTAMPTZOID;
    GeneratorState snapshot{};
    const bool has_all = row_argument(fcinfo, n, types, snapshot.values, snapshot.nulls);
    if (!has_all || !is_whole(snapshot) || snapshot.number(kChecksum) != checksum_of(text_of(snapshot)))
        raise_damaged();
    return snapshot;
}

GeneratorRecord record_in(const GeneratorState &snapshot) {
    GeneratorRecord record = record_of(snapshot.values, snapshot.nulls);
    if (!scheme_row(record.scheme).has_layout || *record.layout == recorded_layout()) record.layout.reset();
    return record;
}

void notice_age(const GeneratorRecord &record, const GeneratorState &snapshot) {
    const TimestampTz taken = DatumGetTimestampTz(snapshot.values[kTaken]);
    const std::int64_t age_us = GetCurrentTimestamp() - taken;
    if (age_us <= std::int64_t{settings.clock_drift_ms} * 1000) return;
    ereport(NOTICE, (errmsg("the snapshot of generator \"%s\" is %s old", record.name, shown_duration(age_us * 1000)),
                     errdetail("It was taken at %s. If the generator has gone on since, the ids that it "
                               "has made may be made again.",
                               timestamptz_to_str(taken))));
}

bool is_behind(const UsedUp &a, const UsedUp &b) {
    return a.toggles != b.toggles ? a.toggles < b.toggles : a.horizon < b.horizon;
}

void continue_generator(const GeneratorRecord &existing, const GeneratorRecord &record, const UsedUp &state) {
    if (existing.scheme != record.scheme || existing.backfill != record.backfill || !claims_the_same(existing, record))
        ereport(ERROR, (errcode(ERRCODE_DUPLICATE_OBJECT),
                        errmsg("generator \"%s\" already exists, but is not the one in the snapshot", record.name),
                        errhint("Restore the snapshot under another name.")));
    HorizonRow row{};
    if (!read_horizon(existing.id, row)) raise_horizon_missing();
    if (is_behind(state, row.used_up()))
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("generator \"%s\" has gone on since the snapshot was taken", record.name),
                        errdetail("The snapshot is of %s, but ids up to %s may have been made since.",
                                  shown_time(state.horizon), shown_time({row.horizon_ns}))));
    if (!existing.backfill) raise_floor(existing.id, state);
    skip_past(existing, state);
}

}  // namespace

SNOWID_FUNCTION(snowid_generator_snapshot) {
    require_privilege(ACL_UPDATE);
    GeneratorRecord record = require_record(text_argument(fcinfo, 0));
    HorizonRow horizon{};
    if (!read_horizon(record.id, horizon)) raise_horizon_missing();
    require_all_ids(record, horizon);
    if (scheme_row(record.scheme).has_layout) record.layout = record.layout_in_force();
    record.id = 0;
    GeneratorState snapshot{};
    put_record(record, snapshot.values, snapshot.nulls);
    snapshot.values[kHorizon] = Int64GetDatum(horizon.horizon_ns);
    snapshot.values[kSafe] = Int64GetDatum(horizon.safe);
    snapshot.values[kToggles] = Int64GetDatum(horizon.toggles);
    snapshot.values[kTaken] = TimestampTzGetDatum(GetCurrentTimestamp());
    snapshot.values[kChecksum] = Int64GetDatum(checksum_of(text_of(snapshot)));
    return row_datum(fcinfo, snapshot.values, snapshot.nulls);
}

SNOWID_FUNCTION(snowid_generator_restore) {
    begin_change(fcinfo, ACL_INSERT);
    require_argument(fcinfo, 0, "the snapshot");
    const GeneratorState snapshot = snapshot_argument(fcinfo, 0);
    GeneratorRecord record = record_in(snapshot);
    take_name(PG_ARGISNULL(1) ? snapshot.shown(kNameColumn) : text_argument(fcinfo, 1), record);
    notice_age(record, snapshot);
    const UsedUp used = snapshot.used_up().with_few_toggles();
    if (!record.backfill) await_reach(scheme_row(record.scheme).first_time_after(used));
    HorizonRow row{};
    row.set(used);
    if (GeneratorRecord existing{}; find_record(record.name, existing))
        continue_generator(existing, record, row.used_up());
    else
        create_generator(record, row);
    PG_RETURN_VOID();
}
