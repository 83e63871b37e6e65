// AES-256 of one block, and HMAC-SHA-256, from the OpenSSL that the server is built with. We have no AES of our own.
#pragma once

#include "core/hkdf.hpp"
#include "pg/prelude.hpp"

namespace snowid::pg {

// Raises an error if the server is built without OpenSSL.
void require_openssl();

// OpenSSL looks up its algorithms on first use, which takes most of a millisecond. If the postmaster looks them up, its
// children inherit them.
void warm_up_openssl() noexcept;

// A key ready to encipher and decipher with. Preparing a key costs as much as enciphering many blocks. All zeroes mean
// no key. The cipher holds memory of OpenSSL's, so it must be cleared.
struct BlockCipher {
    void *encipherer;
    void *decipherer;
};

// Replaces the key. Raises an error if OpenSSL refuses the new one.
void set_key(BlockCipher &cipher, const core::Bytes<32> &key);

// Wipes the key.
void clear(BlockCipher &cipher) noexcept;

void encipher(const BlockCipher &cipher, core::Bytes<16> &block);
void decipher(const BlockCipher &cipher, core::Bytes<16> &block);

void hmac_sha256(core::ByteView key, std::initializer_list<core::ByteView> parts, core::Bytes<32> &out);

// Overwrites a secret, even if the compiler sees that nobody reads it afterwards.
template <typename Secret>
void wipe(Secret &secret) noexcept {
    static_assert(std::is_trivially_copyable_v<Secret>);
    explicit_bzero(&secret, sizeof secret);
}

}  // namespace snowid::pg
