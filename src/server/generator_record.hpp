// What is recorded of named generators: the rows of the table snowid_generator. A row without a name is a claim of the
// past: ids of it exist up to the horizon of its generator, and whoever claims them next starts above that.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/timeline/claim.hpp"
#include "pg/prelude.hpp"
#include "server/slots.hpp"

extern "C" {
#include "access/htup.h"
#include "utils/relcache.h"
}

namespace snowid::server {

struct GeneratorRecord {
    std::int64_t id;
    char name[NAMEDATALEN];  // empty: a claim of the past
    Scheme scheme;
    bool overlap;
    bool backfill;
    std::optional<core::Layout> layout;   // none: the one that is recorded for the database
    std::optional<std::uint32_t> worker;  // none: the server's
    std::optional<std::uint32_t> partition;
    std::optional<std::uint32_t> sequence_min;
    std::optional<std::uint32_t> sequence_max;

    // What stands in for what is left open.
    core::Layout layout_in_force() const;
    std::uint32_t worker_in_force() const;
    std::uint32_t partition_in_force() const;
    core::SequenceRange sequences() const;
    core::Ticks ticks() const;  // of snowflakes
    core::Claim claim() const;
    SlotKey key() const;
    SlotInfo info() const;
};

// An error that says what is wrong where no ids can be made by the record, be it new, restored from a dump, or older
// than a change of the database's layout.
void check_record(const GeneratorRecord &record);

// Calls `see` with a record and its tuple for every row, those of the past too.
using SeeRecord = void (*)(const GeneratorRecord &record, HeapTuple tuple, void *context);
void each_record(SeeRecord see, void *context);

template <typename See>
void each_record(See see) {
    each_record([](const GeneratorRecord &record, HeapTuple tuple,
                   void *context) { (*static_cast<See *>(context))(record, tuple); },
                &see);
}

void take_name(std::string_view name, GeneratorRecord &record);  // an error where it cannot be one
void require_scheme(const GeneratorRecord &record, Scheme scheme);

bool find_record(std::string_view name, GeneratorRecord &record);
GeneratorRecord require_record(std::string_view name);  // an error that lists near names

// The columns of the table, in their order.
inline constexpr int kRecordColumns = 10;
GeneratorRecord record_of(const Datum (&values)[kRecordColumns], const bool (&nulls)[kRecordColumns]);
void put_record(const GeneratorRecord &record, Datum (&values)[kRecordColumns], bool (&nulls)[kRecordColumns]);

const char *scheme_name(Scheme scheme);
SlotInfo default_info(Scheme scheme);  // of the server's own generator
core::Claim claim_of(const SlotInfo &info);

}  // namespace snowid::server
