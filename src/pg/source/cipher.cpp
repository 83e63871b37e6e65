#include "pg/source/cipher.hpp"

extern "C" {
#include "common/hmac.h"
#ifdef USE_OPENSSL
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#endif
}

namespace snowid::pg {

#ifdef USE_OPENSSL

namespace {

enum class Way : int { decipher = 0, encipher = 1 };  // the values that OpenSSL uses

[[noreturn]] void raise_refusal(const char *what) {
    const char *reason = ERR_reason_error_string(ERR_get_error());
    ereport(ERROR, (errcode(ERRCODE_INTERNAL_ERROR), errmsg("OpenSSL could not %s", what),
                    reason == nullptr ? 0 : errdetail("OpenSSL says: %s.", reason)));
}

void *prepared(Way way, const core::Bytes<32> &key) {
    ERR_clear_error();
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    if (context == nullptr ||
        EVP_CipherInit_ex(context, EVP_aes_256_ecb(), nullptr, key.data(), nullptr, static_cast<int>(way)) != 1 ||
        EVP_CIPHER_CTX_set_padding(context, 0) != 1) {
        EVP_CIPHER_CTX_free(context);
        raise_refusal("prepare AES-256");
    }
    return context;
}

void run(void *context, core::Bytes<16> &block) {
    int size = 0;
    if (EVP_CipherUpdate(static_cast<EVP_CIPHER_CTX *>(context), block.data(), &size, block.data(), block.size()) !=
            1 ||
        size != static_cast<int>(block.size()))
        raise_refusal("run AES-256");
}

}  // namespace

void require_openssl() {}

void warm_up_openssl() noexcept {
    constexpr core::Bytes<32> kKey{};
    core::Bytes<32> code;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    if (context != nullptr) EVP_EncryptInit_ex(context, EVP_aes_256_ecb(), nullptr, kKey.data(), nullptr);
    EVP_CIPHER_CTX_free(context);
    HMAC(EVP_sha256(), kKey.data(), kKey.size(), kKey.data(), kKey.size(), code.data(), nullptr);
    ERR_clear_error();
}

void set_key(BlockCipher &cipher, const core::Bytes<32> &key) {
    clear(cipher);
    cipher.encipherer = prepared(Way::encipher, key);
    cipher.decipherer = prepared(Way::decipher, key);
}

void clear(BlockCipher &cipher) noexcept {
    EVP_CIPHER_CTX_free(static_cast<EVP_CIPHER_CTX *>(cipher.encipherer));
    EVP_CIPHER_CTX_free(static_cast<EVP_CIPHER_CTX *>(cipher.decipherer));
    cipher = {};
}

void encipher(const BlockCipher &cipher, core::Bytes<16> &block) { run(cipher.encipherer, block); }
void decipher(const BlockCipher &cipher, core::Bytes<16> &block) { run(cipher.decipherer, block); }

#else

void require_openssl() {
    ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("sealed ids need a PostgreSQL built with OpenSSL"),
                    errhint("Seal ids in the application. It makes the same text.")));
}

void warm_up_openssl() noexcept {}
void set_key(BlockCipher &, const core::Bytes<32> &) { require_openssl(); }
void clear(BlockCipher &) noexcept {}
void encipher(const BlockCipher &, core::Bytes<16> &) { require_openssl(); }
void decipher(const BlockCipher &, core::Bytes<16> &) { require_openssl(); }

#endif

void hmac_sha256(core::ByteView key, std::initializer_list<core::ByteView> parts, core::Bytes<32> &out) {
    pg_hmac_ctx *context = pg_hmac_create(PG_SHA256);
    bool is_done = context != nullptr && pg_hmac_init(context, key.data(), key.size()) >= 0;
    for (const core::ByteView part : parts) is_done = is_done && pg_hmac_update(context, part.data(), part.size()) >= 0;
    is_done = is_done && pg_hmac_final(context, out.data(), out.size()) >= 0;
    const char *reason = is_done ? nullptr : pstrdup(pg_hmac_error(context));
    pg_hmac_free(context);
    if (!is_done)
        ereport(ERROR,
                (errcode(ERRCODE_INTERNAL_ERROR), errmsg("could not compute an HMAC"), errdetail("%s.", reason)));
}

}  // namespace snowid::pg
