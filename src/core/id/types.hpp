// The types of ids that have a time in fixed bytes. A list of such types anywhere else is made from these.
#pragma once

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

}  // namespace snowid::core
