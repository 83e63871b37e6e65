// What the ids wider than a word have in common: an id is just its bytes, it sorts by memcmp, and its time comes first.
#pragma once

#include <concepts>
#include <type_traits>

#include "core/bytes.hpp"
#include "core/status.hpp"
#include "core/time.hpp"

namespace snowid::core {

template <typename Id>
concept WideId = std::is_trivially_copyable_v<Id> && std::same_as<decltype(Id::bytes), Bytes<sizeof(Id)>>;

template <WideId Id>
constexpr std::strong_ordering operator<=>(const Id &a, const Id &b) noexcept {
    return compare(a.bytes, b.bytes);
}

template <WideId Id>
constexpr bool operator==(const Id &a, const Id &b) noexcept {
    return compare(a.bytes, b.bytes) == 0;
}

template <WideId Id>
constexpr Id all_bits(bool value) noexcept {
    Id id{};
    for (std::uint8_t &byte : id.bytes) byte = value ? 0xFF : 0;
    return id;
}

// The smallest and the largest id of a tick. A type with fixed bits after the time defines its own.
template <WideId Id>
constexpr Id first_of_tick(std::uint64_t tick) noexcept {
    if constexpr (requires { Id::first_of_tick(tick); }) return Id::first_of_tick(tick);
    Id id = all_bits<Id>(false);
    Id::Time::write(tick, id.bytes);
    return id;
}

template <WideId Id>
constexpr Id last_of_tick(std::uint64_t tick) noexcept {
    if constexpr (requires { Id::last_of_tick(tick); }) return Id::last_of_tick(tick);
    Id id = all_bits<Id>(true);
    Id::Time::write(tick, id.bytes);
    return id;
}

// The smallest id whose time is not before t; out_of_range if t is after the last time.
template <WideId Id>
constexpr Status lower_bound(UnixMicros t, Id &out) noexcept {
    const std::uint64_t tick = Id::Time::ticks_before(t);
    if (tick > Id::Time::kLastTick) return Status::out_of_range;
    out = first_of_tick<Id>(tick);
    return Status::ok;
}

}  // namespace snowid::core
