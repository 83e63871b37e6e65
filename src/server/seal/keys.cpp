#include "server/seal/keys.hpp"

#include "pg/compat.hpp"
#include "pg/type/arguments.hpp"
#include "server/durable/rows.hpp"
#include "server/durable/tables.hpp"

extern "C" {
#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/index.h"
#include "catalog/indexing.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "utils/inval.h"
#include "utils/rel.h"
#include "utils/timestamp.h"
}

namespace snowid::server {
namespace {

constexpr const char *kKeyTable = "seal_key", *kCurrentTable = "seal_current";

enum KeyColumn : int { number_column, key_column, created_column, key_columns };

constexpr Oid kTypes[key_columns] = {INT2OID, BYTEAOID, TIMESTAMPTZOID};

Relation open_keys(LOCKMODE lock) {
    Relation table = open_extension_table(kKeyTable, lock);
    require_columns(table, kTypes);
    return table;
}

Relation open_current(LOCKMODE lock) {
    Relation table = open_extension_table(kCurrentTable, lock);
    require_columns(table, {kTypes, 1});
    return table;
}

Datum column(Relation table, HeapTuple tuple, int n) {
    bool is_null = false;
    return heap_getattr(tuple, n + 1, RelationGetDescr(table), &is_null);
}

// A row without a number has the number 0.
int number_of(Relation table, HeapTuple tuple) { return DatumGetInt16(column(table, tuple, number_column)); }

// The table's constraints make sure that a row is sound. A row that someone has forced into it is not a key.
void add_row(int number, std::string_view key, TimestampTz created, SealKeys &keys) {
    if (number < 0 || number >= SealKeys::kNumbers) return;
    SealKeyRow &row = keys.rows[number];
    if (key.size() != row.key.size()) return;
    row.is_there = true;
    row.created = created;
    std::memcpy(row.key.data(), key.data(), row.key.size());
}

void read_row(Relation table, HeapTuple tuple, SealKeys &keys) {
    if (heap_attisnull(tuple, key_column + 1, RelationGetDescr(table))) return;
    const std::string_view key = pg::view_of(DatumGetByteaPP(column(table, tuple, key_column)));
    add_row(number_of(table, tuple), key, DatumGetTimestampTz(column(table, tuple, created_column)), keys);
}

void clear(SealKeys &keys) {
    keys = {};
    keys.current = SealKeys::kNone;
}

void read_tables(SealKeys &keys) {
    clear(keys);
    Relation table = open_keys(AccessShareLock);
    keys.tables[0] = RelationGetRelid(table);
    each_row(table, [&](HeapTuple tuple) { read_row(table, tuple, keys); });
    table_close(table, AccessShareLock);
    table = open_current(AccessShareLock);
    keys.tables[1] = RelationGetRelid(table);
    each_row(table, [&](HeapTuple tuple) { keys.current = number_of(table, tuple); });
    table_close(table, AccessShareLock);
}

// Every session reads the keys again once this transaction has committed. This session does so at once.
void close_changed_keys(Relation table) {
    CacheInvalidateRelcache(table);
    table_close(table, NoLock);
    CommandCounterIncrement();
}

void index_row(Relation table, TupleTableSlot *slot) {
    require_plain_indexes(table);
    List *indexes = RelationGetIndexList(table);
    const ListCell *cell = nullptr;
    foreach (cell, indexes) {
        Relation index = index_open(lfirst_oid(cell), RowExclusiveLock);
        IndexInfo *info = BuildIndexInfo(index);
        Datum values[INDEX_MAX_KEYS];
        bool nulls[INDEX_MAX_KEYS];
        FormIndexDatum(info, slot, nullptr, values, nulls);
        index_insert(index, values, nulls, &slot->tts_tid, table,
                     index->rd_index->indisunique ? UNIQUE_CHECK_YES : UNIQUE_CHECK_NO, false, info);
        index_close(index, NoLock);
    }
}

}  // namespace

const SealKeyRow *SealKeys::find(int number) const noexcept {
    return number >= 0 && number < kNumbers && rows[number].is_there ? &rows[number] : nullptr;
}

bool SealKeys::has_any() const noexcept {
    return std::any_of(std::begin(rows), std::end(rows), [](const SealKeyRow &row) { return row.is_there; });
}

// Each table is read as of a moment of its own. Between the two, another key may have become the current one.
SealKeys read_seal_keys() {
    SealKeys keys{};
    read_tables(keys);
    if (keys.current != SealKeys::kNone && keys.find(keys.current) == nullptr) read_tables(keys);
    return keys;
}

core::Bytes<core::kSealFingerprintSize> fingerprint_of(const core::SealKey &key) {
    core::Bytes<core::kSealFingerprintSize> fingerprint;
    const auto *info = reinterpret_cast<const std::uint8_t *>(core::kSealFingerprintInfo.data());
    core::hkdf_sha256(pg::hmac_sha256, key, {}, {info, core::kSealFingerprintInfo.size()}, fingerprint);
    return fingerprint;
}

void lock_seal_keys() { table_close(open_extension_table(kKeyTable, ShareRowExclusiveLock), NoLock); }

// Logical decoding skips the row.
void add_seal_key(int number, const core::SealKey &key) {
    Relation table = open_keys(RowExclusiveLock);
    TupleTableSlot *slot = table_slot_create(table, nullptr);
    ExecStoreAllNullTuple(slot);  // somebody may have added columns
    const Datum bytes = pg::bytea_datum(key);
    slot->tts_values[number_column] = Int16GetDatum(static_cast<int16>(number));
    slot->tts_values[key_column] = bytes;
    slot->tts_values[created_column] = TimestampTzGetDatum(GetCurrentTimestamp());
    std::fill_n(slot->tts_isnull, int{key_columns}, false);
    table_tuple_insert(table, slot, GetCurrentCommandId(true), TABLE_INSERT_NO_LOGICAL, nullptr);
    index_row(table, slot);
    ExecDropSingleTupleTableSlot(slot);
    explicit_bzero(VARDATA(DatumGetPointer(bytes)), key.size());
    close_changed_keys(table);
}

void drop_seal_key(int number) {
    Relation table = open_keys(RowExclusiveLock);
    each_row(table, [&](HeapTuple tuple) {
        if (number_of(table, tuple) == number) CatalogTupleDelete(table, &tuple->t_self);
    });
    close_changed_keys(table);
}

void set_current_seal_key(int number) {
    Relation table = open_current(RowExclusiveLock);
    Datum value = Int16GetDatum(static_cast<int16>(number));
    bool is_null = false;
    HeapTuple row = row_of_columns(table, {&value, 1}, {&is_null, 1});
    bool is_there = false;
    each_row(table, [&](HeapTuple tuple) {
        is_there = true;
        update_row(table, &tuple->t_self, row);
    });
    if (!is_there) insert_row(table, row);
    close_changed_keys(table);
}

}  // namespace snowid::server
