// The records of named generators: the rows of the table _snowid.generator. A row without a name is a claim that was
// given up. Its ids exist up to the horizon of its generator, and the next generator with that claim starts above that
// horizon.
#pragma once

#include "core/function_ref.hpp"
#include "core/timeline/claim.hpp"
#include "pg/prelude.hpp"
#include "server/number/number.hpp"

extern "C" {
#include "access/htup.h"
#include "access/skey.h"
#include "catalog/pg_type_d.h"
#include "storage/lockdefs.h"
#include "utils/relcache.h"
}

namespace snowid::server {

struct GeneratorRecord {
    std::int64_t id;
    char name[NAMEDATALEN];  // empty: a claim that was given up
    Scheme scheme;
    bool overlap;
    bool backfill;
    std::optional<core::Layout> layout;   // none: the layout recorded for the database
    std::optional<std::uint32_t> worker;  // none: the server's
    std::optional<std::uint32_t> partition;
    std::optional<std::uint32_t> sequence_min;
    std::optional<std::uint32_t> sequence_max;
    bool restricted;              // only roles that it was granted to may use it; see grants.hpp
    bool future;                  // whether given times may be in the future
    bool is_of_this_transaction;  // the record may never be committed

    bool has_name() const noexcept { return name[0] != '\0'; }

    // With the values of the server and the database in place of those that the record leaves open.
    core::Layout layout_in_force() const;  // an empty layout if the scheme has none
    std::uint32_t number_in_force() const;
    core::SequenceRange sequences() const;
    bool has_time_of_server() const;  // its ticks are those of the server's own ids
    core::Ticks ticks() const;
    SlotKey key() const;
    SlotInfo info() const;
    SlotInfo info_in(const core::Layout &recorded) const;  // in a database with that layout
};

// Raises an error that says what is wrong if no ids can be made with the record. The record may be new, restored from a
// dump, or older than a change of the database's layout.
void check_record(const GeneratorRecord &record);

// For a scheme's check of a record. `last` is the largest sequence number of the scheme.
[[noreturn]] void raise_bad_record(const char *name, const char *what, const char *hint);
void check_sequences(const GeneratorRecord &record, std::uint64_t last);

// Opens the table, which has the columns that it should have.
Relation open_records(LOCKMODE lock);
void require_record_columns(Relation table);

// Calls `see` with a record and its tuple for every row, including claims that were given up.
using SeeRecord = core::FunctionRef<void(const GeneratorRecord &record, HeapTuple tuple)>;
void each_record(SeeRecord see);

// The same where no row may be an error. Whatever is wrong with its scheme or its layout, a generator claims its
// number. A backend, too, takes an unknown scheme for the first one. It makes no ids with a layout that is not one.
void each_claim(core::FunctionRef<void(const GeneratorRecord &record)> see);

// The same for only some rows, which are found by an index if there is one.
void records_by(ScanKeyData *keys, int key_count, SeeRecord see);
void records_with_id(std::int64_t id, SeeRecord see);

enum class Which : std::uint8_t { all, given_up };
using Number = std::optional<std::uint32_t>;  // none: the server's
void records_with_number(Scheme scheme, Number number, Which which, SeeRecord see);

bool has_other_layouts(const core::Layout &layout);  // whether a record names another layout
std::int64_t last_record_id();

void take_name(std::string_view name, GeneratorRecord &record);  // raises an error if it cannot be a name
void require_scheme(const GeneratorRecord &record, Scheme scheme);
Scheme scheme_named(std::string_view name);  // raises an error if there is none

// Raises an error in a parallel worker whose transaction has changed records or rewritten _snowid.horizon. The worker
// does not know what its leader knows about that.
void require_committed_records();

bool find_record(std::string_view name, GeneratorRecord &record);
GeneratorRecord require_record(std::string_view name);  // the error lists similar names

// The columns of the table, in order. The first kRecordColumns are those that a snapshot has.
inline constexpr int kIdColumn = 0, kNameColumn = 1, kSchemeColumn = 2, kLayoutColumn = 3, kWorkerColumn = 4,
                     kPartitionColumn = 5, kMinColumn = 6, kMaxColumn = 7, kOverlapColumn = 8, kBackfillColumn = 9,
                     kRestrictedColumn = 10, kFutureColumn = 11;
inline constexpr int kRecordColumns = 10, kTableColumns = 12;
inline constexpr Oid kTableTypes[kTableColumns] = {INT8OID, TEXTOID, TEXTOID, TEXTOID, INT4OID, INT4OID,
                                                   INT4OID, INT4OID, BOOLOID, BOOLOID, BOOLOID, BOOLOID};
GeneratorRecord record_of(const Datum *values, const bool *nulls);
bool try_record_of(const Datum *values, const bool *nulls, GeneratorRecord &record);  // false: it is not a record

void put_record(const GeneratorRecord &record, Datum *values, bool *nulls);

// All columns of the table.
void put_row(const GeneratorRecord &record, Datum (&values)[kTableColumns], bool (&nulls)[kTableColumns]);

bool find_scheme(std::string_view name, Scheme &scheme);

}  // namespace snowid::server
