// What the ids wider than a word have in common: they are their bytes and nothing else, in the order of memcmp, and
// their time stands first.
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

// The smallest id whose time is not before t; out_of_range past the last time, where there is none.
template <WideId Id>
constexpr Status lower_bound(UnixMicros t, Id &out) noexcept {
    std::uint64_t tick = 0;
    const Status status = Id::Time::tick_from(t, tick);
    if (status != Status::ok) return status;
    out = {};
    Id::Time::write(tick, out.bytes);
    return Status::ok;
}

}  // namespace snowid::core
