// UUIDv7 (RFC 9562 section 5.7): milliseconds, then random bits around the version and the variant. PostgreSQL reads
// and writes its text. Uuids of other versions are accepted and have no time.
//
//     127              80        76      64         62               0
//     |  Unix time, 48  |  0111  | rand_a |  variant |    rand_b     |
//
// Ids made here have their timeline's fraction of the millisecond in rand_a (section 6.2 method 3).
#pragma once

#include <optional>

#include "core/bytes.hpp"
#include "core/clock/uuid7_ticks.hpp"
#include "core/id/time_field.hpp"
#include "core/id/wide_id.hpp"
#include "core/text/uuid_text.hpp"
#include "core/time.hpp"

namespace snowid::core {

struct Uuid7 {
    static constexpr std::string_view kName = "uuidv7";
    using Time = MillisField;
    static constexpr int kVersion = 7;
    static constexpr int kVariant = 0b10;
    static constexpr std::int64_t kMaxRandA = (1LL << 12) - 1;
    static constexpr std::int64_t kMaxRandB = (1LL << 62) - 1;
    static constexpr std::size_t kRandomSize = 8;  // random bytes for an id made here, which uses 62 of their bits

    Bytes<16> bytes;

    // Uuids of other variants have no version.
    constexpr bool has_version() const noexcept { return bytes[8] >> 6 == kVariant; }
    constexpr int version() const noexcept { return bytes[6] >> 4; }
    constexpr bool is_version7() const noexcept { return has_version() && version() == kVersion; }

    // Meaningful only if is_version7().
    constexpr UnixMicros time() const noexcept { return Time::read(bytes); }
    constexpr std::int64_t rand_a() const noexcept {
        return static_cast<std::int64_t>(load_be<2>(bytes.data() + 6)) & kMaxRandA;
    }
    constexpr std::int64_t rand_b() const noexcept {
        return static_cast<std::int64_t>(load_be<8>(bytes.data() + 8) & kMaxRandB);
    }

    static constexpr Uuid7 of(std::uint64_t ms, std::uint64_t rand_a, std::uint64_t rand_b) noexcept {
        Uuid7 id{};
        store_be<8>(id.bytes.data(), ms << 16 | std::uint64_t{kVersion} << 12 | rand_a);
        store_be<8>(id.bytes.data() + 8, std::uint64_t{kVariant} << 62 | (rand_b & kMaxRandB));
        return id;
    }

    // The bounds for version 7 only. A uuid of another version may begin with this tick and still lie outside them.
    static constexpr Uuid7 first_of_tick(std::uint64_t ms) noexcept { return of(ms, 0, 0); }
    static constexpr Uuid7 last_of_tick(std::uint64_t ms) noexcept { return of(ms, kMaxRandA, kMaxRandB); }
};

static_assert(WideId<Uuid7> && sizeof(Uuid7) == 16);

constexpr std::size_t format(const Uuid7 &id, char *out) noexcept { return format_uuid(id.bytes, out); }

// The id's time is the millisecond that holds t.
constexpr Status compose(UnixMicros t, std::int64_t rand_a, std::int64_t rand_b, Uuid7 &out) noexcept {
    std::uint64_t ms = 0;
    if (Uuid7::Time::tick_of(t, ms) != Status::ok) return Status::out_of_range;
    if (rand_a < 0 || rand_a > Uuid7::kMaxRandA || rand_b < 0 || rand_b > Uuid7::kMaxRandB) return Status::out_of_range;
    out = Uuid7::of(ms, static_cast<std::uint64_t>(rand_a), static_cast<std::uint64_t>(rand_b));
    return Status::ok;
}

constexpr Status from_position(std::uint64_t position, const Bytes<Uuid7::kRandomSize> &random, Uuid7 &out) noexcept {
    if (position >= Uuid7Ticks::kEnd) return Status::out_of_range;
    out = Uuid7::of(Uuid7Ticks::ms_of(position), Uuid7Ticks::fraction_of(position), load_be<8>(random.data()));
    return Status::ok;
}

// What the bits of any uuid mean (RFC 9562): its variant, its version and, in versions 1, 6 and 7, its time.
enum class UuidVariant : std::uint8_t { ncs, rfc9562, microsoft, future };

struct Uuid {
    Bytes<16> bytes;

    constexpr UuidVariant variant() const noexcept {
        if (bytes[8] < 0x80) return UuidVariant::ncs;
        if (bytes[8] < 0xC0) return UuidVariant::rfc9562;
        return bytes[8] < 0xE0 ? UuidVariant::microsoft : UuidVariant::future;
    }
    constexpr int version() const noexcept { return bytes[6] >> 4; }
    constexpr bool is_of_rfc() const noexcept {
        return variant() == UuidVariant::rfc9562 && version() >= 1 && version() <= 8;
    }
    constexpr bool is_all(std::uint8_t value) const noexcept {
        for (const std::uint8_t byte : bytes)
            if (byte != value) return false;
        return true;
    }

    // Nothing for the versions without a time. Version 2 is one of them, because it overwrites most of the time.
    constexpr std::optional<UnixMicros> time() const noexcept {
        if (!is_of_rfc()) return std::nullopt;
        const std::uint64_t high = load_be<8>(bytes.data());
        switch (version()) {
            case 1: return of_gregorian((high & 0xFFF) << 48 | (high >> 16 & 0xFFFF) << 32 | high >> 32);
            case 6: return of_gregorian(high >> 16 << 12 | (high & 0xFFF));
            case 7: return Uuid7{bytes}.time();
            default: return std::nullopt;
        }
    }

    constexpr std::uint64_t clock_sequence() const noexcept { return load_be<2>(bytes.data() + 8) & 0x3FFF; }
    constexpr Bytes<6> node() const noexcept { return cut<10, 6>(bytes); }

private:
    // From units of 100 ns since 1582-10-15.
    static constexpr UnixMicros of_gregorian(std::uint64_t units) noexcept {
        return {floor_div(static_cast<std::int64_t>(units) - 0x01B2'1DD2'1381'4000, 10)};
    }
};

}  // namespace snowid::core
