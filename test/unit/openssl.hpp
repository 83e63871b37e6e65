// OpenSSL as the cipher and the HMAC of the core.
#pragma once

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <initializer_list>
#include <memory>
#include <vector>

#include "core/hkdf.hpp"

namespace snowid::test {

class Cipher {
public:
    enum class Way { encipher, decipher };

    Cipher(const EVP_CIPHER *kind, core::ByteView key, Way way) : context_(EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free) {
        EVP_CIPHER_CTX_set_flags(context_.get(), EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
        EXPECT_EQ(EVP_CipherInit_ex(context_.get(), kind, nullptr, key.data(), nullptr, way == Way::encipher), 1);
        EVP_CIPHER_CTX_set_padding(context_.get(), 0);
    }

    std::vector<std::uint8_t> operator()(core::ByteView in) const {
        std::vector<std::uint8_t> out(in.size() + 32);
        int size = 0;
        EXPECT_EQ(EVP_CipherUpdate(context_.get(), out.data(), &size, in.data(), static_cast<int>(in.size())), 1);
        out.resize(static_cast<std::size_t>(size));
        return out;
    }

    void in_place(core::Bytes<16> &block) const {
        int size = 0;
        EVP_CipherUpdate(context_.get(), block.data(), &size, block.data(), static_cast<int>(block.size()));
        EXPECT_EQ(size, 16);
    }

private:
    std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> context_;
};

inline void hmac_sha256(core::ByteView key, std::initializer_list<core::ByteView> parts, core::Bytes<32> &out) {
    std::vector<std::uint8_t> all;
    for (const core::ByteView part : parts) all.insert(all.end(), part.begin(), part.end());
    HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), all.data(), all.size(), out.data(), nullptr);
}

}  // namespace snowid::test
