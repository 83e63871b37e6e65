// The abbreviated key, the word that a sort compares first. Invariant: if the keys of two ids differ, the ids sort like
// their keys. For most types the key is the first eight bytes.
//
// In some types an origin follows the time: bytes that say where an id was made, and that are the same in all ids made
// in one place. The first eight bytes of such ids differ only in the time. So their key is computed relative to a
// pivot, which is any id of the set:
//
//     | what is before the origin | side, 2 | rest |
//
// The side is 0, 1 or 2 if the id's origin is less than, equal to or greater than the pivot's. If the origins are
// equal, the rest is the next bytes after the origin, at most three, capped at the largest number that fits. Otherwise
// the rest is the first bits of the id's origin.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/id/wide_id.hpp"

namespace snowid::core {

template <typename Id>
concept HasOrigin = WideId<Id> && requires {
    Id::kOriginAt;
    Id::kOriginSize;
};

template <WideId Id>
constexpr std::uint64_t sort_key(const Id &id, const Id &) noexcept {
    return load_be<8>(id.bytes.data());
}

template <HasOrigin Id>
constexpr std::uint64_t sort_key(const Id &id, const Id &pivot) noexcept {
    constexpr int kRestBits = 62 - 8 * static_cast<int>(Id::kOriginAt);
    constexpr std::size_t kTailSize = std::min<std::size_t>(3, sizeof(Id) - Id::kOriginAt - Id::kOriginSize);
    constexpr int kOriginBits = 8 * static_cast<int>(Id::kOriginSize);
    constexpr std::uint64_t kLargestRest = (1ULL << kRestBits) - 1;
    const std::uint8_t *from = id.bytes.data() + Id::kOriginAt;
    const std::uint64_t origin = load_be<Id::kOriginSize>(from);
    const std::uint64_t own = load_be<Id::kOriginSize>(pivot.bytes.data() + Id::kOriginAt);
    const std::uint64_t side = origin < own ? 0 : origin == own ? 1 : 2;
    const std::uint64_t tail = std::min(load_be<kTailSize>(from + Id::kOriginSize), kLargestRest);
    const std::uint64_t rest = side == 1 ? tail : origin >> (kOriginBits - kRestBits);
    return load_be<Id::kOriginAt>(id.bytes.data()) << (2 + kRestBits) | side << kRestBits | rest;
}

}  // namespace snowid::core
