#include "server/record/generator_record.hpp"

#include "pg/error.hpp"
#include "pg/layout.hpp"
#include "server/base/settings.hpp"
#include "server/extension/layout_record.hpp"
#include "server/extension/tables.hpp"
#include "server/memory/shared.hpp"

extern "C" {
#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/rel.h"
#include "utils/varlena.h"
}

namespace snowid::server {
namespace {

constexpr int kId = 0, kName = 1, kScheme = 2, kLayout = 3, kWorker = 4, kPartition = 5, kMin = 6, kMax = 7,
              kOverlap = 8, kBackfill = 9;

std::optional<std::uint32_t> number_of(Datum value, bool null) {
    if (null) return std::nullopt;
    return static_cast<std::uint32_t>(DatumGetInt32(value));
}

// A name can be too long if the row was inserted by hand.
void copy_name(const char *name, char (&to)[NAMEDATALEN]) {
    const int size = pg_mbcliplen(name, static_cast<int>(std::strlen(name)), NAMEDATALEN - 1);
    strlcpy(to, name, static_cast<Size>(size) + 1);
}

Datum datum_of(const std::optional<std::uint32_t> &number, bool &null) {
    null = !number.has_value();
    return null ? Datum{0} : UInt32GetDatum(*number);
}

// Names that differ by a few typing errors, nearest first.
struct NearNames {
    std::string_view wanted;
    StringInfoData list;

    void see(const char *name, int distance_wanted) {
        const int distance =
            varstr_levenshtein_less_equal(wanted.data(), static_cast<int>(wanted.size()), name,
                                          static_cast<int>(std::strlen(name)), 1, 1, 1, distance_wanted, true);
        if (distance == distance_wanted) appendStringInfo(&list, "%s\"%s\"", list.len == 0 ? "" : ", ", name);
    }
};

[[noreturn]] void raise_unknown(std::string_view name) {
    NearNames near{name, {}};
    initStringInfo(&near.list);
    const int farthest = name.size() < NAMEDATALEN ? std::min<int>(static_cast<int>(name.size()) / 2, 3) : 0;
    for (int distance = 1; distance <= farthest; ++distance)
        each_record([&](const GeneratorRecord &record, HeapTuple) {
            if (record.has_name()) near.see(record.name, distance);
        });
    ereport(ERROR,
            (errcode(ERRCODE_UNDEFINED_OBJECT), errmsg("there is no generator \"%s\"", pg::shown(name)),
             near.list.len == 0 ? errhint("SELECT snowid_generator_create('...') makes one; the table snowid_generator "
                                          "lists those of this database.")
                                : errhint("Near names are: %s.", near.list.data)));
}

}  // namespace

core::Layout GeneratorRecord::layout_in_force() const {
    if (!row_of(scheme).has_layout) return {};
    return layout ? *layout : recorded_layout();
}

std::uint32_t GeneratorRecord::number_in_force() const {
    const std::optional<std::uint32_t> &own = this->*row_of(scheme).number;
    return own ? *own : server_number(scheme);
}

core::SequenceRange GeneratorRecord::sequences() const {
    const std::uint64_t last = row_of(scheme).last_sequence(layout_in_force());
    return {sequence_min.value_or(0), sequence_max ? *sequence_max : last};
}

core::Ticks GeneratorRecord::ticks() const { return row_of(scheme).ticks(layout_in_force(), sequences()); }

core::Claim GeneratorRecord::claim() const { return claim_of(info()); }

SlotKey GeneratorRecord::key() const { return {MyDatabaseId, extension_tables().generator, id}; }

SlotInfo GeneratorRecord::info() const {
    const bool follows_server = !(this->*row_of(scheme).number);
    SlotInfo info{{}, scheme, backfill, layout_in_force(), sequences(), follows_server, number_in_force()};
    strlcpy(info.name, name, sizeof info.name);
    return info;
}

void each_record(SeeRecord see) {
    Relation table = open_extension_table(&ExtensionTables::generator, AccessShareLock);
    SysScanDesc scan = systable_beginscan(table, InvalidOid, false, nullptr, 0, nullptr);
    while (HeapTuple tuple = systable_getnext(scan)) {
        Datum values[kRecordColumns];
        bool nulls[kRecordColumns];
        heap_deform_tuple(tuple, RelationGetDescr(table), values, nulls);
        see(record_of(values, nulls), tuple);
    }
    systable_endscan(scan);
    table_close(table, AccessShareLock);
}

bool find_record(std::string_view name, GeneratorRecord &record) {
    bool found = false;
    each_record([&](const GeneratorRecord &candidate, HeapTuple) {
        if (!candidate.has_name() || candidate.name != name) return;
        record = candidate;
        found = true;
    });
    return found;
}

GeneratorRecord require_record(std::string_view name) {
    GeneratorRecord record{};
    if (!find_record(name, record)) raise_unknown(name);
    return record;
}

GeneratorRecord record_of(const Datum (&values)[kRecordColumns], const bool (&nulls)[kRecordColumns]) {
    GeneratorRecord record{};
    record.id = DatumGetInt64(values[kId]);
    if (!nulls[kName]) copy_name(TextDatumGetCString(values[kName]), record.name);
    find_scheme(TextDatumGetCString(values[kScheme]), record.scheme);
    if (!nulls[kLayout]) record.layout = pg::read_layout(TextDatumGetCString(values[kLayout]));
    record.worker = number_of(values[kWorker], nulls[kWorker]);
    record.partition = number_of(values[kPartition], nulls[kPartition]);
    record.sequence_min = number_of(values[kMin], nulls[kMin]);
    record.sequence_max = number_of(values[kMax], nulls[kMax]);
    record.overlap = DatumGetBool(values[kOverlap]);
    record.backfill = DatumGetBool(values[kBackfill]);
    return record;
}

void put_record(const GeneratorRecord &record, Datum (&values)[kRecordColumns], bool (&nulls)[kRecordColumns]) {
    values[kId] = Int64GetDatum(record.id);
    nulls[kName] = !record.has_name();
    if (!nulls[kName]) values[kName] = CStringGetTextDatum(record.name);
    values[kScheme] = CStringGetTextDatum(row_of(record.scheme).name);
    nulls[kLayout] = !record.layout;
    if (record.layout) values[kLayout] = CStringGetTextDatum(pg::layout_text(*record.layout));
    values[kWorker] = datum_of(record.worker, nulls[kWorker]);
    values[kPartition] = datum_of(record.partition, nulls[kPartition]);
    values[kMin] = datum_of(record.sequence_min, nulls[kMin]);
    values[kMax] = datum_of(record.sequence_max, nulls[kMax]);
    values[kOverlap] = BoolGetDatum(record.overlap);
    values[kBackfill] = BoolGetDatum(record.backfill);
}

bool find_scheme(std::string_view name, Scheme &scheme) {
    for (const Scheme candidate : kSchemes) {
        if (name != row_of(candidate).name) continue;
        scheme = candidate;
        return true;
    }
    return false;
}

std::uint32_t server_number(Scheme scheme) {
    return row_of(scheme).shown_number(shared->number(scheme).load(std::memory_order_relaxed));
}

SlotInfo server_info(Scheme scheme) {
    const SchemeRow &row = row_of(scheme);
    const core::Layout layout = row.has_layout ? settings.layout : core::Layout{};
    return {"default", scheme, false, layout, {0, row.last_sequence(layout)}, true, server_number(scheme)};
}

core::Claim claim_of(const SlotInfo &info) { return row_of(info.scheme).claim(info); }

bool could_meet(const SlotInfo &a, const SlotInfo &b) {
    return a.layout.same_time_as(b.layout) && core::overlap(claim_of(a), claim_of(b));
}

}  // namespace snowid::server
