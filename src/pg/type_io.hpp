// Text and binary input of every fixed-size id.
#pragma once

#include <string_view>

#include "core/status.hpp"
#include "pg/error.hpp"
#include "pg/fixed_type.hpp"

extern "C" {
#include "libpq/pqformat.h"
}

namespace snowid::pg {

template <FixedId Id>
Datum type_in(FunctionCallInfo fcinfo) {
    const char *text = PG_GETARG_CSTRING(0);
    Id id{};
    if (const core::Status status = parse(std::string_view(text), id); status != core::Status::ok) {
        report_input_error(status, TypeText<Id>::name, TypeText<Id>::form, text, fcinfo->context);
        return Datum{0};
    }
    return to_datum(id);
}

// The bytes of one value, and nothing else.
template <FixedId Id>
const unsigned char *receive_bytes(FunctionCallInfo fcinfo) {
    auto *message = reinterpret_cast<StringInfo>(PG_GETARG_POINTER(0));
    const int size = message->len - message->cursor;
    if (size != static_cast<int>(sizeof(Id))) raise_binary_length(TypeText<Id>::name, sizeof(Id), size);
    return reinterpret_cast<const unsigned char *>(pq_getmsgbytes(message, size));
}

}  // namespace snowid::pg
