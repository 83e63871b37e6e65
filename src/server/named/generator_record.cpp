#include "server/named/generator_record.hpp"

#include "core/layout/layout_text.hpp"
#include "pg/error.hpp"
#include "pg/type/arguments.hpp"
#include "server/durable/layout_record.hpp"
#include "server/durable/rows.hpp"
#include "server/durable/tables.hpp"
#include "server/shared/settings.hpp"
#include "server/shared/shared.hpp"

extern "C" {
#include "access/htup_details.h"
#include "access/parallel.h"
#include "access/table.h"
#include "access/xact.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "storage/lock.h"
#include "storage/proc.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "utils/varlena.h"
}

namespace snowid::server {
namespace {

std::optional<std::uint32_t> number_of(Datum value, bool null) {
    if (null) return std::nullopt;
    return static_cast<std::uint32_t>(DatumGetInt32(value));
}

// A name can be too long if someone has inserted the row by hand.
void copy_name(const char *name, char (&to)[NAMEDATALEN]) {
    const int size = pg_mbcliplen(name, static_cast<int>(std::strlen(name)), NAMEDATALEN - 1);
    strlcpy(to, name, static_cast<Size>(size) + 1);
}

Datum datum_of(const std::optional<std::uint32_t> &number, bool &null) {
    null = !number.has_value();
    return null ? Datum{0} : UInt32GetDatum(*number);
}

// Whether this transaction wrote the table's row in pg_class, as TRUNCATE does and anything else that gives the table a
// new file.
bool is_of_this_transaction(Oid table) {
    HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(table));
    if (!HeapTupleIsValid(tuple)) return true;
    const bool is = TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetXmin(tuple->t_data));
    ReleaseSysCache(tuple);
    return is;
}

// Anything that changes a table keeps a lock on it until the transaction ends.
bool leader_writes(Oid table) {
    LOCKTAG tag;
    VirtualTransactionId leader;
    SET_LOCKTAG_RELATION(tag, MyDatabaseId, table);
    GET_VXID_FROM_PGPROC(leader, *MyProc->lockGroupLeader);
    int count = 0;
    const VirtualTransactionId *writers = GetLockConflicts(&tag, ShareLock, &count);
    return std::any_of(writers, writers + count,
                       [&](const VirtualTransactionId &writer) { return VirtualTransactionIdEquals(writer, leader); });
}

// Names that differ by a few typing errors, nearest first.
struct NearNames {
    std::string_view wanted;
    StringInfoData list;
    int count;

    void see(const char *name, int distance_wanted) {
        constexpr int kMost = 5;
        if (count == kMost) return;
        const int distance =
            varstr_levenshtein_less_equal(wanted.data(), static_cast<int>(wanted.size()), name,
                                          static_cast<int>(std::strlen(name)), 1, 1, 1, distance_wanted, true);
        if (distance != distance_wanted) return;
        appendStringInfo(&list, "%s\"%s\"", list.len == 0 ? "" : ", ", name);
        ++count;
    }
};

[[noreturn]] void raise_default() {
    ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT), errmsg("the default generator is used without a name"),
                    errdetail("Views call the server's own generator \"default\". It cannot be changed or dropped."),
                    errhint("Leave out the argument: snowflake_next() and sno_next() make ids with that generator.")));
}

[[noreturn]] void raise_unknown(std::string_view name) {
    if (name == "default") raise_default();
    NearNames near{name, {}, 0};
    initStringInfo(&near.list);
    const int farthest = name.size() < NAMEDATALEN ? std::min<int>(static_cast<int>(name.size()) / 2, 3) : 0;
    for (int distance = 1; distance <= farthest; ++distance)
        each_record([&](const GeneratorRecord &record, HeapTuple) {
            if (record.has_name()) near.see(record.name, distance);
        });
    ereport(ERROR,
            (errcode(ERRCODE_UNDEFINED_OBJECT), errmsg("there is no generator \"%s\"", pg::shown(name)),
             near.list.len == 0 ? errhint("snowid_generator_create makes one. The view snowid_generators lists those "
                                          "of this database.")
                                : errhint("Similar names are: %s.", near.list.data)));
}

GeneratorRecord record_in(Relation table, HeapTuple tuple) {
    Datum values[kTableColumns];
    bool nulls[kTableColumns];
    pg::first_columns(tuple, RelationGetDescr(table), values, nulls);
    GeneratorRecord record = record_of(values, nulls);
    record.restricted = !nulls[kRestrictedColumn] && DatumGetBool(values[kRestrictedColumn]);
    record.future = nulls[kFutureColumn] || DatumGetBool(values[kFutureColumn]);
    record.is_of_this_transaction = TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetXmin(tuple->t_data));
    return record;
}

// The checks of a record, a name and a scheme that all schemes have in common. Each scheme adds its own.

const char *scheme_names() {
    const char *names = "";
    for (const Scheme scheme : kSchemes)
        names = psprintf("%s%s%s", names, scheme == kSchemes.front() ? "" : " or ", scheme_row(scheme).name);
    return names;
}

}  // namespace

core::Layout GeneratorRecord::layout_in_force() const { return info().layout; }

std::uint32_t GeneratorRecord::number_in_force() const {
    const std::optional<std::uint32_t> &own = this->*scheme_row(scheme).number;
    if (own) return *own;
    return shared != nullptr ? server_number(scheme) : scheme_row(scheme).configured_number();
}

core::SequenceRange GeneratorRecord::sequences() const { return info().sequences; }

bool GeneratorRecord::has_time_of_server() const {
    return !scheme_row(scheme).has_layout || layout_in_force().same_time_as(settings.layout);
}

core::Ticks GeneratorRecord::ticks() const { return scheme_row(scheme).ticks(layout_in_force(), sequences()); }

SlotKey GeneratorRecord::key() const { return {MyDatabaseId, extension_tables().generator, id}; }

SlotInfo GeneratorRecord::info() const {
    return info_in(scheme_row(scheme).has_layout ? recorded_layout() : core::Layout{});
}

// The server makes no snowflakes in a database of another layout.
SlotInfo GeneratorRecord::info_in(const core::Layout &recorded) const {
    const SchemeRow &row = scheme_row(scheme);
    const core::Layout in_force = row.has_layout ? layout.value_or(recorded) : core::Layout{};
    const std::uint64_t last = row.last_sequence(in_force);
    SlotInfo info{.name = {},
                  .scheme = scheme,
                  .backfill = backfill,
                  .layout = in_force,
                  .sequences = {sequence_min.value_or(0), sequence_max ? *sequence_max : last},
                  .is_apart = !overlap && (!row.has_layout || recorded == settings.layout),
                  .follows_server = !(this->*row.number),
                  .number = number_in_force()};
    strlcpy(info.name, name, sizeof info.name);
    return info;
}

Relation open_records(LOCKMODE lock) {
    Relation table = open_extension_table(&ExtensionTables::generator, lock);
    require_record_columns(table);
    return table;
}

void require_record_columns(Relation table) { require_columns(table, kTableTypes); }

void each_record(SeeRecord see) { records_by(nullptr, 0, see); }

void each_claim(core::FunctionRef<void(const GeneratorRecord &record)> see) {
    Relation table = open_records(AccessShareLock);
    each_row(table, [&](HeapTuple tuple) {
        Datum values[kTableColumns];
        bool nulls[kTableColumns];
        pg::first_columns(tuple, RelationGetDescr(table), values, nulls);
        GeneratorRecord record{};
        if (!try_record_of(values, nulls, record) && !nulls[kLayoutColumn] && !record.layout)
            record.layout = settings.layout;
        see(record);
    });
    table_close(table, AccessShareLock);
}

void records_by(ScanKeyData *keys, int key_count, SeeRecord see) {
    Relation table = open_records(AccessShareLock);
    look_up(table, nullptr, keys, key_count, [&](HeapTuple tuple) { see(record_in(table, tuple), tuple); });
    table_close(table, AccessShareLock);
}

void records_with_id(std::int64_t id, SeeRecord see) {
    ScanKeyData key = key_for(kIdColumn + 1, F_INT8EQ, false, Int64GetDatum(id));
    records_by(&key, 1, [&](const GeneratorRecord &record, HeapTuple tuple) {
        if (record.id == id) see(record, tuple);
    });
}

void records_with_number(Scheme scheme, Number number, Which which, SeeRecord see) {
    const bool has_worker = scheme_row(scheme).number == &GeneratorRecord::worker;
    const Datum value = number ? UInt32GetDatum(*number) : Datum{0};
    ScanKeyData keys[] = {key_for(kSchemeColumn + 1, F_TEXTEQ, false, CStringGetTextDatum(scheme_row(scheme).name)),
                          key_for(kWorkerColumn + 1, F_INT4EQ, !has_worker || !number, value),
                          key_for(kPartitionColumn + 1, F_INT4EQ, has_worker || !number, value),
                          key_for(kNameColumn + 1, F_TEXTEQ, true, Datum{0})};
    const int count = static_cast<int>(std::size(keys)) - (which == Which::all ? 1 : 0);
    records_by(keys, count, [&](const GeneratorRecord &record, HeapTuple tuple) {
        if (record.scheme == scheme && record.*scheme_row(scheme).number == number) see(record, tuple);
    });
}

bool has_other_layouts(const core::Layout &layout) {
    const Datum text = CStringGetTextDatum(pg::layout_text(layout));
    Relation table = open_records(AccessShareLock);
    const bool any = has_any(table, kLayoutColumn + 1, BTLessStrategyNumber, F_TEXT_LT, text) ||
                     has_any(table, kLayoutColumn + 1, BTGreaterStrategyNumber, F_TEXT_GT, text);
    table_close(table, AccessShareLock);
    return any;
}

std::int64_t last_record_id() {
    std::int64_t last = 0;
    Relation table = open_records(AccessShareLock);
    look_up_greatest(table, kIdColumn + 1, [&](HeapTuple tuple) { last = std::max(last, record_in(table, tuple).id); });
    table_close(table, AccessShareLock);
    return last;
}

void require_committed_records() {
    if (!IsParallelWorker() || !TransactionIdIsValid(GetTopTransactionIdIfAny())) return;
    if (!is_of_this_transaction(extension_tables().horizon) && !leader_writes(extension_tables().generator)) return;
    ereport(ERROR,
            (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
             errmsg("a parallel worker makes no ids in a transaction that has changed generators or their horizon"),
             errdetail("It cannot know whether the change will be committed."),
             errhint("Commit the transaction first, or set max_parallel_workers_per_gather to 0.")));
}

bool find_record(std::string_view name, GeneratorRecord &record) {
    record = {};
    bool found = false;
    text *wanted = cstring_to_text_with_len(name.data(), static_cast<int>(name.size()));
    ScanKeyData key = key_for(kNameColumn + 1, F_TEXTEQ, false, PointerGetDatum(wanted));
    records_by(&key, 1, [&](const GeneratorRecord &candidate, HeapTuple) {
        if (!candidate.has_name() || candidate.name != name || candidate.id <= 0) return;
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

GeneratorRecord record_of(const Datum *values, const bool *nulls) {
    GeneratorRecord record{};
    if (!try_record_of(values, nulls, record) && !nulls[kLayoutColumn])
        record.layout = pg::read_layout(TextDatumGetCString(values[kLayoutColumn]));
    return record;
}

bool try_record_of(const Datum *values, const bool *nulls, GeneratorRecord &record) {
    record.id = DatumGetInt64(values[kIdColumn]);
    if (!nulls[kNameColumn]) copy_name(TextDatumGetCString(values[kNameColumn]), record.name);
    record.worker = number_of(values[kWorkerColumn], nulls[kWorkerColumn]);
    record.partition = number_of(values[kPartitionColumn], nulls[kPartitionColumn]);
    record.sequence_min = number_of(values[kMinColumn], nulls[kMinColumn]);
    record.sequence_max = number_of(values[kMaxColumn], nulls[kMaxColumn]);
    record.overlap = DatumGetBool(values[kOverlapColumn]);
    record.backfill = DatumGetBool(values[kBackfillColumn]);
    if (!nulls[kLayoutColumn]) {
        core::Layout layout;
        if (core::parse_layout(TextDatumGetCString(values[kLayoutColumn]), layout).fault != core::LayoutFault::none)
            return false;
        record.layout = layout;
    }
    return !nulls[kSchemeColumn] && find_scheme(TextDatumGetCString(values[kSchemeColumn]), record.scheme);
}

void put_row(const GeneratorRecord &record, Datum (&values)[kTableColumns], bool (&nulls)[kTableColumns]) {
    put_record(record, values, nulls);
    values[kRestrictedColumn] = BoolGetDatum(record.restricted);
    values[kFutureColumn] = BoolGetDatum(record.future);
}

void put_record(const GeneratorRecord &record, Datum *values, bool *nulls) {
    values[kIdColumn] = Int64GetDatum(record.id);
    nulls[kNameColumn] = !record.has_name();
    if (!nulls[kNameColumn]) values[kNameColumn] = CStringGetTextDatum(record.name);
    values[kSchemeColumn] = CStringGetTextDatum(scheme_row(record.scheme).name);
    nulls[kLayoutColumn] = !record.layout;
    if (record.layout) values[kLayoutColumn] = CStringGetTextDatum(pg::layout_text(*record.layout));
    values[kWorkerColumn] = datum_of(record.worker, nulls[kWorkerColumn]);
    values[kPartitionColumn] = datum_of(record.partition, nulls[kPartitionColumn]);
    values[kMinColumn] = datum_of(record.sequence_min, nulls[kMinColumn]);
    values[kMaxColumn] = datum_of(record.sequence_max, nulls[kMaxColumn]);
    values[kOverlapColumn] = BoolGetDatum(record.overlap);
    values[kBackfillColumn] = BoolGetDatum(record.backfill);
}

bool find_scheme(std::string_view name, Scheme &scheme) {
    for (const Scheme candidate : kSchemes) {
        if (name != scheme_row(candidate).name) continue;
        scheme = candidate;
        return true;
    }
    return false;
}

void raise_bad_record(const char *name, const char *what, const char *hint) {
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("generator \"%s\" cannot make ids", name),
                    errdetail("%s", what), hint == nullptr ? 0 : errhint("%s", hint)));
}

void check_sequences(const GeneratorRecord &record, std::uint64_t last) {
    const core::SequenceRange range = record.sequences();
    if (range.max > last)
        raise_bad_record(
            record.name,
            psprintf("sequence_max must be from 0 to " UINT64_FORMAT ", not " UINT64_FORMAT ".", last, range.max),
            nullptr);
    if (range.min > range.max)
        raise_bad_record(record.name,
                         psprintf("sequence_min " UINT64_FORMAT " is more than sequence_max " UINT64_FORMAT ".",
                                  range.min, range.max),
                         nullptr);
    if (range.count() < core::kSmallestPool && range.count() <= last)
        raise_bad_record(record.name,
                         psprintf("The sequence numbers from " UINT64_FORMAT " to " UINT64_FORMAT
                                  " are too few: it needs %d at least.",
                                  range.min, range.max, static_cast<int>(core::kSmallestPool)),
                         nullptr);
}

void check_record(const GeneratorRecord &record) { scheme_row(record.scheme).check(record); }

void take_name(std::string_view name, GeneratorRecord &record) {
    if (name.empty() || name.size() >= sizeof record.name)
        ereport(ERROR, (errcode(ERRCODE_INVALID_NAME), errmsg("invalid name of a generator"),
                        errdetail("It must have 1 to %d bytes, but it has %d.", NAMEDATALEN - 1,
                                  static_cast<int>(name.size()))));
    if (name == "default")
        ereport(ERROR,
                (errcode(ERRCODE_RESERVED_NAME), errmsg("\"default\" is the name of the server's own generator")));
    record.name[name.copy(record.name, name.size())] = '\0';
}

Scheme scheme_named(std::string_view name) {
    Scheme scheme{};
    if (find_scheme(name, scheme)) return scheme;
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("there is no scheme \"%s\"", pg::shown(name)),
                    errdetail("A generator makes ids of the scheme %s.", scheme_names())));
}

void require_scheme(const GeneratorRecord &record, Scheme scheme) {
    if (record.scheme == scheme) return;
    const char *name = scheme_row(record.scheme).name;
    ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
                    errmsg("generator \"%s\" makes ids of the scheme %s", record.name, name),
                    errhint(record.backfill ? "Use %s_at." : "Use %s_next.", name)));
}

}  // namespace snowid::server
