// The keys of sealed ids as a session holds them: the keys that it has read, and the ciphers that it has derived from
// them for the prefixes it uses. All of it is wiped when a key may have changed.
#pragma once

#include "server/seal/keys.hpp"

namespace snowid::server {

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
