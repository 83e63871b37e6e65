// A layout says what each bit of a snowflake means: the time in the high bits, then, in any order, the sequence and any
// number of fields that together are the worker.
//
//     63                                                              0
//     | unused |  time  | field | field | sequence | field |  ...     |
//
// A layout of 64 bits uses the sign bit of a bigint. Its ids are read as unsigned, and no id that would be negative is
// made. A value with bits outside the layout is not one of its ids.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/time.hpp"

namespace snowid::core {

struct Field {
    static constexpr std::size_t kMaxName = 15;

    char name[kMaxName + 1];
    std::uint8_t bits;
    std::uint8_t shift;

    constexpr std::string_view name_view() const noexcept { return std::string_view(name); }
    constexpr std::uint64_t max() const noexcept { return bits == 64 ? ~0ULL : (1ULL << bits) - 1; }
    constexpr std::uint64_t read(std::uint64_t id) const noexcept { return (id >> shift) & max(); }
    constexpr std::uint64_t place(std::uint64_t value) const noexcept { return value << shift; }

    friend constexpr bool operator==(const Field &, const Field &) noexcept = default;
};

struct Layout {
    static constexpr int kMaxFields = 8;
    static constexpr int kMaxPartBits = 31;  // SQL shows worker and sequence as integer

    UnixMicros epoch;
    std::int64_t tick_us;
    int field_count;
    int time_index;
    int sequence_index;
    Field fields[kMaxFields];  // as written, from the high bit to the low one

    constexpr const Field &time() const noexcept { return fields[time_index]; }
    constexpr const Field &sequence() const noexcept { return fields[sequence_index]; }
    constexpr bool is_worker(int i) const noexcept { return i != time_index && i != sequence_index; }

    constexpr int bits() const noexcept { return time().shift + time().bits; }
    constexpr bool is_unsigned() const noexcept { return bits() == 64; }
    constexpr bool contains(std::uint64_t id) const noexcept { return is_unsigned() || id >> bits() == 0; }

    constexpr int worker_bits() const noexcept { return bits() - time().bits - sequence().bits; }
    constexpr std::uint32_t max_worker() const noexcept {
        return static_cast<std::uint32_t>((1ULL << worker_bits()) - 1);
    }
    // The worker's number: its fields concatenated in the order written.
    constexpr std::uint32_t worker(std::uint64_t id) const noexcept {
        std::uint64_t worker = 0;
        for (int i = 0; i < field_count; ++i)
            if (is_worker(i)) worker = worker << fields[i].bits | fields[i].read(id);
        return static_cast<std::uint32_t>(worker);
    }
    // The reverse: the bits that every id of this worker has. REQUIRES: worker <= max_worker().
    constexpr std::uint64_t place_worker(std::uint32_t worker) const noexcept {
        std::uint64_t rest = worker, bits = 0;
        for (int i = field_count - 1; i >= 0; --i) {
            if (!is_worker(i)) continue;
            bits |= fields[i].place(rest & fields[i].max());
            rest >>= fields[i].bits;
        }
        return bits;
    }

    constexpr std::int64_t last_tick() const noexcept { return static_cast<std::int64_t>(time().max()); }
    // No id is made past this tick: it would be negative.
    constexpr std::int64_t last_generated_tick() const noexcept {
        return is_unsigned() ? last_tick() / 2 : last_tick();
    }

    constexpr UnixMicros time_of_tick(std::int64_t tick) const noexcept { return {epoch.value + tick * tick_us}; }
    // A value that is not an id of the layout sorts before or after all its ids, and so does the value's time.
    constexpr UnixMicros time_of(std::uint64_t id) const noexcept {
        if (!contains(id)) return static_cast<std::int64_t>(id) < 0 ? kBeforeAll : kAfterAll;
        return time_of_tick(static_cast<std::int64_t>(time().read(id)));
    }
    constexpr UnixMicros last_time() const noexcept { return time_of_tick(last_tick()); }
    constexpr UnixMicros last_generated_time() const noexcept { return time_of_tick(last_generated_tick()); }
    // The tick that holds t. REQUIRES: t >= epoch.
    constexpr std::int64_t tick_of(UnixMicros t) const noexcept {
        const std::uint64_t since = static_cast<std::uint64_t>(t.value) - static_cast<std::uint64_t>(epoch.value);
        return static_cast<std::int64_t>(since / static_cast<std::uint64_t>(tick_us));
    }
    // With ticks of 1 us, the last times may be more ticks after the epoch than a signed number can hold.
    constexpr bool holds(UnixMicros t) const noexcept {
        return t >= epoch && static_cast<std::uint64_t>(tick_of(t)) <= static_cast<std::uint64_t>(last_tick());
    }

    constexpr std::uint64_t compose(std::int64_t tick, std::uint32_t worker, std::uint32_t sequence_no) const noexcept {
        return time().place(static_cast<std::uint64_t>(tick)) | place_worker(worker) | sequence().place(sequence_no);
    }

    // Whether both layouts read the same time from every id, however they divide the bits below it.
    constexpr bool same_time_as(const Layout &other) const noexcept {
        return epoch == other.epoch && tick_us == other.tick_us && time() == other.time();
    }

    friend constexpr bool operator==(const Layout &a, const Layout &b) noexcept {
        if (a.epoch != b.epoch || a.tick_us != b.tick_us || a.field_count != b.field_count) return false;
        for (int i = 0; i < a.field_count; ++i)
            if (!(a.fields[i] == b.fields[i])) return false;
        return true;
    }
};

}  // namespace snowid::core
