// Sandflake: milliseconds, the worker, a sequence and random bits. Shown in its own base32.
//
//     127                    80           48             24             0
//     |  Unix time in ms, 48  | worker, 32 | sequence, 24 |  random, 24  |
//
// Ids made here use their timeline's fraction of the millisecond as the sequence, so the ids of one worker ascend like
// their positions.
#pragma once

#include "core/alphabet/base32.hpp"
#include "core/clock/uuid7_ticks.hpp"
#include "core/id/time_field.hpp"
#include "core/id/wide_id.hpp"

namespace snowid::core {

struct Sandflake {
    static constexpr std::string_view kName = "sandflake";
    static constexpr const char *kForm =
        "It is written in the digits 0-9 and A-Z without I, L, O and U, of which the last is a multiple of 4.";
    using Time = MillisField;
    static constexpr std::size_t kOriginAt = 6, kOriginSize = 4;  // bytes that say where it was made; see sort_key.hpp
    static constexpr std::size_t kTextSize = Base32<16>::kTextSize;
    static constexpr std::size_t kWorkerSize = 4;
    static constexpr std::size_t kRandomSize = 3;
    static constexpr std::int64_t kMaxSequence = 0xFFFFFF;

    Bytes<16> bytes;

    constexpr UnixMicros time() const noexcept { return Time::read(bytes); }
    constexpr Bytes<kWorkerSize> worker() const noexcept { return cut<6, kWorkerSize>(bytes); }
    constexpr std::int64_t sequence() const noexcept {
        return static_cast<std::int64_t>(load_be<3>(bytes.data() + 10));
    }
    constexpr Bytes<kRandomSize> random() const noexcept { return cut<13, kRandomSize>(bytes); }
};

static_assert(WideId<Sandflake> && sizeof(Sandflake) == 16);

constexpr Status parse(std::string_view text, Sandflake &out) noexcept {
    return Base32<16>::decode(kSandflake32, text, out.bytes);
}

constexpr std::size_t format(const Sandflake &id, char *out) noexcept {
    Base32<16>::encode(kSandflake32, id.bytes, out);
    return Sandflake::kTextSize;
}

// The id's time is the millisecond that holds t.
constexpr Status compose(UnixMicros t, const Bytes<Sandflake::kWorkerSize> &worker, std::int64_t sequence,
                         const Bytes<Sandflake::kRandomSize> &random, Sandflake &out) noexcept {
    std::uint64_t ms = 0;
    if (Sandflake::Time::tick_of(t, ms) != Status::ok) return Status::out_of_range;
    if (sequence < 0 || sequence > Sandflake::kMaxSequence) return Status::out_of_range;
    Sandflake::Time::write(ms, out.bytes);
    paste<6>(worker, out.bytes);
    store_be<3>(out.bytes.data() + 10, static_cast<std::uint64_t>(sequence));
    paste<13>(random, out.bytes);
    return Status::ok;
}

constexpr Status from_position(std::uint64_t position, const Bytes<Sandflake::kWorkerSize> &worker,
                               const Bytes<Sandflake::kRandomSize> &random, Sandflake &out) noexcept {
    if (position >= Uuid7Ticks::kEnd) return Status::out_of_range;
    const UnixMicros t = MillisField::time_of(Uuid7Ticks::ms_of(position));
    return compose(t, worker, static_cast<std::int64_t>(Uuid7Ticks::fraction_of(position)), random, out);
}

}  // namespace snowid::core
