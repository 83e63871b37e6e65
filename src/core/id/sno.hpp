// Sno: units of 4 ms, the tick-tock bit, a byte for the user (the metabyte), the partition and a sequence. Shown in its
// own base32.
//
//     79                                    41   40   39        32            16             0
//     |  4 ms units since 2010-01-01, 39     | tick | metabyte   | partition   |  sequence    |
//
// When the clock steps back, the generator flips the bit and continues from the clock's time. Ids with the same bit
// never repeat a time (see core/sno/timeline.hpp).
#pragma once

#include "core/alphabet/sno32.hpp"
#include "core/clock/sno_units.hpp"
#include "core/id/time_field.hpp"
#include "core/id/wide_id.hpp"

namespace snowid::core {

// The parts of a sno other than its time.
struct SnoParts {
    std::int64_t metabyte;
    std::int64_t partition;
    std::int64_t sequence;
    bool tick_tock;
};

struct Sno {
    static constexpr std::string_view kName = "sno";
    static constexpr const char *kForm = "It is written in the digits 2-9 and a-x, in lower case.";
    using Time = TimeField<5, SnoUnits::kUnitNs / kNanosPerMicro, to_micros(SnoUnits::start(0)).value, 1>;
    static constexpr std::size_t kOriginAt = 6, kOriginSize = 2;  // bytes that say where it was made; see sort_key.hpp
    static constexpr std::size_t kTextSize = kSno32Size;
    static constexpr std::int64_t kMaxMetabyte = 0xFF, kMaxPartition = 0xFFFF, kMaxSequence = 0xFFFF;

    Bytes<10> bytes;

    constexpr UnixMicros time() const noexcept { return Time::read(bytes); }
    constexpr bool tick_tock() const noexcept { return (bytes[4] & 1) != 0; }
    constexpr std::int64_t metabyte() const noexcept { return bytes[5]; }
    constexpr std::int64_t partition() const noexcept { return static_cast<std::int64_t>(load_be<2>(&bytes[6])); }
    constexpr std::int64_t sequence() const noexcept { return static_cast<std::int64_t>(load_be<2>(&bytes[8])); }

    // With the tick-tock bit set: it belongs to the time field, but not to the tick.
    static constexpr Sno last_of_tick(std::uint64_t unit) noexcept {
        Sno id = all_bits<Sno>(true);
        store_be<5>(id.bytes.data(), unit << 1 | 1);
        return id;
    }

    // REQUIRES, for this and set_partition(): the part fits.
    constexpr void set_metabyte(std::int64_t metabyte) noexcept { bytes[5] = static_cast<std::uint8_t>(metabyte); }
    constexpr void set_partition(std::int64_t partition) noexcept {
        store_be<2>(&bytes[6], static_cast<std::uint64_t>(partition));
    }
};

static_assert(WideId<Sno> && sizeof(Sno) == 10);

constexpr Status parse(std::string_view text, Sno &out) noexcept { return decode_sno32(text, out.bytes); }

constexpr std::size_t format(const Sno &id, char *out) noexcept {
    encode_sno32(id.bytes, out);
    return Sno::kTextSize;
}

// REQUIRES: the parts fit.
constexpr Sno sno_of(std::uint64_t unit, const SnoParts &parts) noexcept {
    Sno id{};
    store_be<5>(id.bytes.data(), unit << 1 | static_cast<std::uint64_t>(parts.tick_tock));
    id.set_metabyte(parts.metabyte);
    id.set_partition(parts.partition);
    store_be<2>(&id.bytes[8], static_cast<std::uint64_t>(parts.sequence));
    return id;
}

// The id's time is the unit that holds t.
constexpr Status compose(UnixMicros t, const SnoParts &parts, Sno &out) noexcept {
    const auto fits = [](std::int64_t part, std::int64_t max) { return part >= 0 && part <= max; };
    std::uint64_t unit = 0;
    if (Sno::Time::tick_of(t, unit) != Status::ok || !fits(parts.metabyte, Sno::kMaxMetabyte) ||
        !fits(parts.partition, Sno::kMaxPartition) || !fits(parts.sequence, Sno::kMaxSequence))
        return Status::out_of_range;
    out = sno_of(unit, parts);
    return Status::ok;
}

constexpr Sno from_position(const SnoPosition &position, std::int64_t metabyte, std::int64_t partition) noexcept {
    return sno_of(static_cast<std::uint64_t>(position.unit),
                  {metabyte, partition, position.sequence, position.tick_tock});
}

// Ids with consecutive sequence numbers, and the partition that was in force when they were taken.
struct SnoRun {
    SnoPosition position;  // of the next one
    std::uint32_t partition;
    std::uint32_t count;

    Sno take(std::int64_t metabyte) noexcept {
        const Sno id = from_position(position, metabyte, partition);
        ++position.sequence;
        --count;
        return id;
    }
};

}  // namespace snowid::core
