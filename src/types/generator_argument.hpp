// The name of a generator as an argument of an SQL function.
#pragma once

#include <string_view>

#include "pg/arguments.hpp"
#include "server/generator.hpp"

namespace snowid::types {

// The generator by that name. A call that has the same one every time finds it in its FmgrInfo.
inline server::Generator &generator_argument(FunctionCallInfo fcinfo, int n) {
    const std::string_view name = pg::text_argument(fcinfo, n);
    auto *known = static_cast<server::Generator *>(fcinfo->flinfo->fn_extra);
    if (known == nullptr || !known->is_named(name)) [[unlikely]]
        fcinfo->flinfo->fn_extra = known = &server::named_generator(name);
    return *known;
}

}  // namespace snowid::types
