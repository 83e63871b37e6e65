// KSUID: seconds since 2014 and a random payload, shown in base62.
//
//     159                                     128                     0
//     |  seconds since 2014-05-13 16:53:20, 32 |     payload, 128     |
//
// The format does not order ids within a second. Ids made here are ordered: the top 22 bits of the payload are the
// position on their timeline within the second, 0 to 4095999. The other 106 bits are random.
#pragma once

#include "core/alphabet/base62.hpp"
#include "core/clock/uuid7_ticks.hpp"
#include "core/id/time_field.hpp"
#include "core/id/wide_id.hpp"

namespace snowid::core {

struct Ksuid {
    static constexpr std::string_view kName = "ksuid";
    static constexpr const char *kForm = "It is written in the digits 0-9, A-Z and a-z.";
    static constexpr std::int64_t kEpochSeconds = 1'400'000'000;
    using Time = TimeField<4, kMicrosPerSecond, kEpochSeconds * kMicrosPerSecond>;
    static constexpr std::size_t kTextSize = kBase62Size;
    static constexpr std::size_t kPayloadSize = 16;
    static constexpr std::size_t kRandomSize = 14;  // random bytes for an id made here, which uses 106 of their bits

    Bytes<20> bytes;

    constexpr UnixMicros time() const noexcept { return Time::read(bytes); }
    constexpr Bytes<kPayloadSize> payload() const noexcept { return cut<4, kPayloadSize>(bytes); }
};

static_assert(WideId<Ksuid> && sizeof(Ksuid) == 20);

constexpr Status parse(std::string_view text, Ksuid &out) noexcept { return decode_base62(text, out.bytes); }

constexpr std::size_t format(const Ksuid &id, char *out) noexcept {
    encode_base62(id.bytes, out);
    return Ksuid::kTextSize;
}

// The id's time is the second that holds t.
constexpr Status compose(UnixMicros t, const Bytes<Ksuid::kPayloadSize> &payload, Ksuid &out) noexcept {
    std::uint64_t second = 0;
    if (Ksuid::Time::tick_of(t, second) != Status::ok) return Status::out_of_range;
    Ksuid::Time::write(second, out.bytes);
    paste<4>(payload, out.bytes);
    return Status::ok;
}

constexpr Status from_position(std::uint64_t position, const Bytes<Ksuid::kRandomSize> &random, Ksuid &out) noexcept {
    constexpr std::uint64_t kPerSecond = Uuid7Ticks::kPerMs * 1000;
    static_assert(kPerSecond <= 1 << 22);
    const std::uint64_t second = position / kPerSecond - Ksuid::kEpochSeconds;  // before the epoch: wraps past the end
    if (second > Ksuid::Time::kLastTick) return Status::out_of_range;
    Ksuid::Time::write(second, out.bytes);
    store_be<3>(out.bytes.data() + 4, position % kPerSecond << 2 | (random[0] & 0x03));
    store_be<8>(out.bytes.data() + 7, load_be<8>(random.data() + 1));  // two overlapping words make 13 bytes
    store_be<8>(out.bytes.data() + 12, load_be<8>(random.data() + 6));
    return Status::ok;
}

}  // namespace snowid::core
