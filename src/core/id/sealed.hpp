// Sealed ids: the text of an 8-byte id that shows what kind of thing it belongs to and nothing else, and that nobody
// can make without the key. The construction is AES-256-KWP (RFC 5649) of 8 octets, which is one block:
//
//     | A65959A6 | 00000008 |     id, big-endian     |   enciphered with the key for this number and prefix
//
//     text = prefix, _, and 22 digits of base62: the number of the key, then the block's 128 bits
//
// The first half is the same for all ids. If a text deciphers to anything else, it is forged or was made with another
// key.
#pragma once

#include "core/alphabet/base62.hpp"
#include "core/bytes.hpp"
#include "core/hkdf.hpp"
#include "core/text/prefix.hpp"

namespace snowid::core {

using SealBlock = Bytes<16>;
using SealKey = Bytes<32>;

inline constexpr unsigned kMaxSealKey = Bits131::kMaxTop;
inline constexpr unsigned kSealKeys = kMaxSealKey + 1;
inline constexpr std::size_t kMaxSealedSize = kMaxPrefix + 1 + Bits131::kTextSize;

// The input that tells apart the keys derived from one key. It is unambiguous, because the prefix comes last.
class SealInfo {
public:
    constexpr explicit SealInfo(std::string_view prefix) noexcept : size_(kHead.size() + prefix.size()) {
        std::copy(kHead.begin(), kHead.end(), bytes_.begin());
        std::copy(prefix.begin(), prefix.end(), bytes_.begin() + kHead.size());
    }
    constexpr ByteView bytes() const noexcept { return {bytes_.data(), size_}; }

private:
    static constexpr std::string_view kHead{"snowid sealed id 1\0\x08", 20};

    Bytes<kHead.size() + kMaxPrefix> bytes_{};
    std::size_t size_;
};

inline constexpr std::string_view kSealFingerprintInfo = "snowid fingerprint";
inline constexpr std::size_t kSealFingerprintSize = 4;

constexpr std::uint64_t kSealMark = 0xA65959A6'00000008;

constexpr SealBlock seal_block(std::uint64_t id) noexcept {
    SealBlock block{};
    store_be<8>(block.data(), kSealMark);
    store_be<8>(block.data() + 8, id);
    return block;
}

// encipher(block) enciphers the block in place with the key for this number and prefix. Returns how many characters it
// wrote. REQUIRES: room for kMaxSealedSize characters.
template <typename Encipher>
std::size_t seal(std::uint64_t id, unsigned number, std::string_view prefix, const Encipher &encipher, char *out) {
    Bits131 sealed{number, seal_block(id)};
    encipher(sealed.bytes);
    const std::size_t start = put_prefix(prefix, out);
    encode_base62(sealed, out + start);
    return start + Bits131::kTextSize;
}

enum class Unsealed : std::uint8_t { ok, malformed, other_prefix, unknown_key, forged };

struct Opened {
    std::string_view prefix;  // for other_prefix: the prefix that the text has
    unsigned number;          // for unknown_key: the number of that key
    std::uint64_t id;
};

namespace detail {

constexpr bool has_prefix(std::string_view text, std::string_view prefix) noexcept {
    return text.size() == prefix.size() + 1 + Bits131::kTextSize && text.starts_with(prefix) &&
           text[prefix.size()] == kPrefixEnd;
}

constexpr Unsealed without_prefix(std::string_view text, Opened &out) noexcept {
    Prefixed parts;
    Bits131 sealed;
    if (!split_prefix(text, Bits131::kTextSize, parts) || decode_base62(parts.rest, sealed) == Status::bad_character)
        return Unsealed::malformed;
    out.prefix = parts.prefix;
    return Unsealed::other_prefix;
}

}  // namespace detail

// decipher(number, block) deciphers the block in place. It returns false if no key has this number. `out` holds an id
// only if the result is ok. decipher() must refuse a text that is not a valid prefix.
template <typename Decipher>
Unsealed unseal(std::string_view text, std::string_view prefix, const Decipher &decipher, Opened &out) {
    if (!detail::has_prefix(text, prefix)) return detail::without_prefix(text, out);
    Bits131 sealed;
    const Status status = decode_base62({text.data() + prefix.size() + 1, Bits131::kTextSize}, sealed);
    if (status == Status::bad_character) return Unsealed::malformed;
    if (status != Status::ok) return Unsealed::forged;  // no key has that number
    out.number = sealed.top;
    if (!decipher(sealed.top, sealed.bytes)) return Unsealed::unknown_key;
    if (load_be<8>(sealed.bytes.data()) != kSealMark) return Unsealed::forged;
    out.id = load_be<8>(sealed.bytes.data() + 8);
    return Unsealed::ok;
}

}  // namespace snowid::core
