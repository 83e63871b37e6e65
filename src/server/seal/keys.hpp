// The keys of this database's sealed ids. They lie in a table that belongs to the extension and that nobody but
// superusers can read: it has no privileges and row-level security without a policy. No dump takes it along. Which key
// is current stands in a table of its own, so that a row with a key is never updated: logical decoding would show it.
#pragma once

#include "core/id/sealed.hpp"
#include "pg/cipher.hpp"

extern "C" {
#include "datatype/timestamp.h"
}

namespace snowid::server {

struct SealKeyRow {
    bool is_there;
    core::SealKey key;
    TimestampTz created;
};

struct SealKeys {
    static constexpr int kNumbers = core::kSealKeys, kNone = -1;

    SealKeyRow rows[kNumbers];
    int current;    // a number, or kNone
    Oid tables[2];  // that they were read from

    const SealKeyRow *find(int number) const noexcept;  // nullptr: there is none
    bool has_any() const noexcept;
};

// The caller wipes what it returns.
SealKeys read_seal_keys();

// What names a key without telling it.
core::Bytes<core::kSealFingerprintSize> fingerprint_of(const core::SealKey &key);

// Nobody else changes keys until this transaction ends.
void lock_seal_keys();

// REQUIRES: lock_seal_keys() before what the change follows from was read.
void add_seal_key(int number, const core::SealKey &key);
void drop_seal_key(int number);
void set_current_seal_key(int number);

}  // namespace snowid::server
