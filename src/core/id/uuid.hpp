// What the bits of any uuid mean (RFC 9562): its variant, its version and, in versions 1, 6 and 7, its time.
#pragma once

#include <optional>

#include "core/bytes.hpp"
#include "core/id/uuid7.hpp"
#include "core/time.hpp"

namespace snowid::core {

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
