// ULID: milliseconds and random bits, shown in Crockford's base32.
//
//     127                    80                                        0
//     |  Unix time in ms, 48  |              entropy, 80               |
//
// Ids made here have their timeline's fraction of the millisecond in the top 12 bits of the entropy, so they ascend
// like their positions.
#pragma once

#include "core/alphabet/base32.hpp"
#include "core/clock/uuid7_ticks.hpp"
#include "core/id/time_field.hpp"
#include "core/id/wide_id.hpp"

namespace snowid::core {

struct Ulid {
    static constexpr std::string_view kName = "ulid";
    static constexpr const char *kForm = "It is written in Crockford's base32, which has no I, L, O and U.";
    using Time = MillisField;
    static constexpr std::size_t kTextSize = kCrockford32Size;
    static constexpr std::size_t kEntropySize = 10;
    static constexpr std::size_t kRandomSize = 9;  // random bytes for an id made here, which uses 68 of their bits

    Bytes<16> bytes;

    constexpr UnixMicros time() const noexcept { return Time::read(bytes); }
    constexpr Bytes<kEntropySize> entropy() const noexcept { return cut<6, kEntropySize>(bytes); }
};

static_assert(WideId<Ulid> && sizeof(Ulid) == 16);

constexpr Status parse(std::string_view text, Ulid &out) noexcept { return decode_crockford32(text, out.bytes); }

constexpr std::size_t format(const Ulid &id, char *out) noexcept {
    encode_crockford32(id.bytes, out);
    return Ulid::kTextSize;
}

// The id's time is the millisecond that holds t.
constexpr Status compose(UnixMicros t, const Bytes<Ulid::kEntropySize> &entropy, Ulid &out) noexcept {
    std::uint64_t ms = 0;
    if (Ulid::Time::tick_of(t, ms) != Status::ok) return Status::out_of_range;
    Ulid::Time::write(ms, out.bytes);
    paste<6>(entropy, out.bytes);
    return Status::ok;
}

constexpr Status from_position(std::uint64_t position, const Bytes<Ulid::kRandomSize> &random, Ulid &out) noexcept {
    if (position >= Uuid7Ticks::kEnd) return Status::out_of_range;
    store_be<8>(out.bytes.data(), position << 4 | (random[0] & 0x0F));
    paste<8>(cut<1, 8>(random), out.bytes);
    return Status::ok;
}

}  // namespace snowid::core
