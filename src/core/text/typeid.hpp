// TypeID (specification 0.3.0): a uuid as 26 digits of Crockford's base32 in lower case, after a prefix that says what
// kind of thing it belongs to. A uuid and a prefix have exactly one text, and no other text is accepted.
#pragma once

#include "core/alphabet/base32.hpp"
#include "core/text/prefix.hpp"

namespace snowid::core {

inline constexpr Digits<32> kTypeIdDigits("0123456789abcdefghjkmnpqrstvwxyz");
inline constexpr std::size_t kMaxTypeIdSize = kMaxPrefix + 1 + kCrockford32Size;

struct TypeId {
    std::string_view prefix;  // may be empty
    Bytes<16> uuid;
};

// bad_length: the text does not have the form of a TypeID, or its prefix is not valid.
constexpr Status parse(std::string_view text, TypeId &out) noexcept {
    Prefixed parts{{}, text};
    if (text.size() != kCrockford32Size && !split_prefix(text, kCrockford32Size, parts)) return Status::bad_length;
    const Status status = decode_crockford32(kTypeIdDigits, parts.rest, out.uuid);
    if (status == Status::ok) out.prefix = parts.prefix;
    return status;
}

// REQUIRES: a valid or empty prefix; room for kMaxTypeIdSize characters at `out`.
constexpr std::size_t format(const TypeId &id, char *out) noexcept {
    const std::size_t start = put_prefix(id.prefix, out);
    encode_crockford32(kTypeIdDigits, id.uuid, out + start);
    return start + kCrockford32Size;
}

}  // namespace snowid::core
