// The keys of sealed ids as a session has them ready: those that it has read, and what it has derived from them for the
// prefixes that it uses. All of it is wiped when a key may have changed.
#pragma once

#include <string_view>

#include "server/seal/keys.hpp"

namespace snowid::server {

// Raises an error if this database has no key, or if the server has no OpenSSL. A call of the others follows this one.
void require_seal_keys();

// The number of the current key, or SealKeys::kNone.
int current_seal_key();

// nullptr if there is no key of this number. Raises an error if this is no prefix.
const pg::BlockCipher *seal_cipher(int number, std::string_view prefix);

// Raises an error that tells what a prefix is.
void require_seal_prefix(std::string_view prefix);

}  // namespace snowid::server
