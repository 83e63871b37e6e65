// The keys of this database's sealed ids. They are in a table of the extension that only superusers can read: nobody
// has privileges on it, and it has row-level security without a policy. No dump includes it. A separate table says
// which key is current, so that a row with a key is never updated, because logical decoding would show the update.
#pragma once

#include "core/id/sealed.hpp"
#include "pg/source/cipher.hpp"

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
    Oid tables[2];  // from which they were read

    const SealKeyRow *find(int number) const noexcept;  // nullptr if there is none
    bool has_any() const noexcept;
};

// The caller must wipe the result.
SealKeys read_seal_keys();

// Identifies a key without revealing it.
core::Bytes<core::kSealFingerprintSize> fingerprint_of(const core::SealKey &key);

// From here until the end of the transaction, nobody else changes keys.
void lock_seal_keys();

// REQUIRES: lock_seal_keys() was called before the caller read what the change depends on.
void add_seal_key(int number, const core::SealKey &key);
void drop_seal_key(int number);
void set_current_seal_key(int number);

// The keys of sealed ids as a session holds them: the keys that it has read, and the ciphers that it has derived from
// them for the prefixes it uses. All of it is wiped when a key may have changed.

// Raises an error if this database has no key, or if the server has no OpenSSL. Call this before the other functions.
void require_seal_keys();

// The same without an error for a database that has no key. Call this before the other functions, too.
bool has_seal_keys();

// The tables with the keys. A plan that holds what a key has opened depends on them.
std::span<const Oid> seal_key_tables();

// The number of the current key, or SealKeys::kNone.
int current_seal_key();

// Returns nullptr if no key has this number. Raises an error if the prefix is not valid.
const pg::BlockCipher *seal_cipher(int number, std::string_view prefix);

// Raises an error that says what a valid prefix is, unless this is one.
void require_seal_prefix(std::string_view prefix);

}  // namespace snowid::server
