// HKDF (RFC 5869) over HMAC-SHA-256, which is an argument.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <span>

#include "core/bytes.hpp"

namespace snowid::core {

using ByteView = std::span<const std::uint8_t>;

// hmac(key, parts, out) writes the HMAC of the concatenated parts. REQUIRES: `out` has at most 255 * 32 bytes.
template <typename Hmac>
void hkdf_sha256(const Hmac &hmac, ByteView secret, ByteView salt, ByteView info, std::span<std::uint8_t> out) {
    constexpr Bytes<32> kNoSalt{};
    Bytes<32> key, block;
    hmac(salt.empty() ? ByteView(kNoSalt) : salt, std::initializer_list<ByteView>{secret}, key);
    std::size_t done = 0, previous = 0;
    for (std::uint8_t counter = 1; done < out.size(); ++counter, previous = block.size()) {
        Bytes<32> next;
        hmac(key, std::initializer_list<ByteView>{ByteView(block.data(), previous), info, ByteView(&counter, 1)}, next);
        block = next;
        const std::size_t size = std::min(block.size(), out.size() - done);
        std::copy_n(block.data(), size, out.data() + done);
        done += size;
    }
}

}  // namespace snowid::core
