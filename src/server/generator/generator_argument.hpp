// The name of a generator as an argument of an SQL function. A call that passes the same name every time finds the
// generator in its FmgrInfo. NULL is an error, because a default that returns NULL would be noticed only by its rows.
#pragma once

#include <string_view>

#include "pg/type/arguments.hpp"
#include "server/generator/generators.hpp"

namespace snowid::server {

template <typename Kind>
Kind &generator_argument(FunctionCallInfo fcinfo, int n) {
    pg::require_argument(fcinfo, n, "the name of a generator");
    const std::string_view name = pg::text_argument(fcinfo, n);
    auto *known = static_cast<Kind *>(fcinfo->flinfo->fn_extra);
    if (known == nullptr || known->name() != name) [[unlikely]]
        fcinfo->flinfo->fn_extra = known = &named_generator<Kind>(name);
    return *known;
}

}  // namespace snowid::server
