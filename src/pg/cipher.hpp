// AES-256 of one block and HMAC-SHA-256, by the OpenSSL that the server is built with. There is no AES of our own.
#pragma once

#include <initializer_list>

#include "core/hkdf.hpp"
#include "pg/prelude.hpp"

namespace snowid::pg {

// Raises an error if the server is built without OpenSSL.
void require_openssl();

// OpenSSL looks up its algorithms when they are first used, which takes most of a millisecond. The postmaster's
// children inherit what it has looked up.
void warm_up_openssl() noexcept;

// A key that is ready to encipher and to decipher. Making it ready costs as much as many blocks. All zeroes mean no
// key. It holds OpenSSL's memory, so it must be cleared.
struct BlockCipher {
    void *encipherer;
    void *decipherer;
};

// Puts another key in its place. Raises an error if OpenSSL refuses.
void set_key(BlockCipher &cipher, const core::Bytes<32> &key);

// Wipes the key.
void clear(BlockCipher &cipher) noexcept;

void encipher(const BlockCipher &cipher, core::Bytes<16> &block);
void decipher(const BlockCipher &cipher, core::Bytes<16> &block);

void hmac_sha256(core::ByteView key, std::initializer_list<core::ByteView> parts, core::Bytes<32> &out);

// Overwrites a secret, even if the compiler sees that nobody reads it again.
template <typename Secret>
void wipe(Secret &secret) noexcept {
    static_assert(std::is_trivially_copyable_v<Secret>);
    explicit_bzero(&secret, sizeof secret);
}

}  // namespace snowid::pg
