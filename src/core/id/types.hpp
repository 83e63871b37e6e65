// The types of ids that have a time in fixed bytes. A list of such types anywhere else is made from these.
#pragma once

#include <cstddef>
#include <iterator>
#include <string_view>

#include "core/id/ksuid.hpp"
#include "core/id/objectid.hpp"
#include "core/id/rsxid.hpp"
#include "core/id/sandflake.hpp"
#include "core/id/sno.hpp"
#include "core/id/ulid.hpp"
#include "core/id/uuid7.hpp"

namespace snowid::core {

template <WideId... Ids>
struct IdTypes {};

template <typename Id, typename... Ids>
constexpr IdTypes<Id, Ids...> before(IdTypes<Ids...>) noexcept {
    return {};
}

// Those that are types of their own in SQL: the Makefile's WIDE_TYPES.
using WideIds = IdTypes<Ulid, Ksuid, ObjectId, Rsxid, Sandflake, Sno>;

// With the ids that have PostgreSQL's type.
using TimedIds = decltype(before<Uuid7>(WideIds{}));

template <WideId... Ids>
consteval bool have_different_names(IdTypes<Ids...>) noexcept {
    constexpr std::string_view names[] = {Ids::kName...};
    for (std::size_t i = 1; i < std::size(names); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (names[i] == names[j]) return false;
    return true;
}

static_assert(have_different_names(TimedIds{}), "a kName was copied with its type");

}  // namespace snowid::core
