// The first word that ids are sorted by. REQUIRES of every key: where two differ, the ids are in the order of their
// keys. For most types it is the first eight bytes.
//
// Some have, behind their time, bytes that tell where an id was made, and are the same in all that were made in one
// place. Their first eight bytes say next to nothing, so their key is made beside some id of the set, the pivot:
//
//     | what is before the origin | side, 2 | tail, or origin: the rest |
//
// The side is 0, 1 or 2: the origin is less than, equal to or greater than the pivot's. If it is equal what follows it
// decides, as far as that is small enough to fit, and else its own first bits do.
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
