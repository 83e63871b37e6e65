// The text form and the binary form of every fixed-size id, and its cast from bytea. The cast to bytea is the send
// function.
#pragma once

#include "core/status.hpp"
#include "pg/error.hpp"
#include "pg/type/ops.hpp"

extern "C" {
#include "libpq/pqformat.h"
}

namespace snowid::pg {

template <WideType Id>
const char *describe_input(core::Status status, const char *text) {
    Id last;
    last.bytes.fill(0xFF);
    char digits[Id::kTextSize];
    return describe_input(status, text, Id::kForm, {digits, format(last, digits)});
}

template <FixedId Id>
Datum type_in(FunctionCallInfo fcinfo) {
    const char *text = PG_GETARG_CSTRING(0);
    Id id{};
    core::Status status = parse(std::string_view(text), id);
    if (status == core::Status::ok) [[likely]]
        return to_datum(id);
    const char *detail = Id::kForm;
    if constexpr (WideType<Id>) {  // a text past the last id is malformed as well
        detail = describe_input<Id>(status, text);
        status = core::Status::bad_character;
    }
    report_input_error(status, kTypeName<Id>, detail, text, fcinfo->context);
    return Datum{0};
}

template <FixedId Id>
Datum type_out(FunctionCallInfo fcinfo) {
    char *text = static_cast<char *>(palloc(Id::kTextSize + 1));
    text[format(arg<Id>(fcinfo, 0), text)] = '\0';
    PG_RETURN_CSTRING(text);
}

// The bytes of one value. A message of any other length is an error.
template <FixedId Id>
const unsigned char *receive_bytes(FunctionCallInfo fcinfo) {
    auto *message = reinterpret_cast<StringInfo>(PG_GETARG_POINTER(0));
    const int size = message->len - message->cursor;
    if (size != static_cast<int>(sizeof(Id))) raise_binary_length(kTypeName<Id>, sizeof(Id), size);
    return reinterpret_cast<const unsigned char *>(pq_getmsgbytes(message, size));
}

template <WideType Id>
Datum datum_of_bytes(const void *bytes) {
    Id id;
    std::memcpy(id.bytes.data(), bytes, sizeof id);
    return to_datum(id);
}

template <WideType Id>
Datum type_recv(FunctionCallInfo fcinfo) {
    return datum_of_bytes<Id>(receive_bytes<Id>(fcinfo));
}

template <std::size_t N>
Datum bytea_datum(const core::Bytes<N> &bytes) {
    auto *value = static_cast<bytea *>(palloc(VARHDRSZ + N));
    SET_VARSIZE(value, VARHDRSZ + N);
    std::memcpy(VARDATA(value), bytes.data(), N);
    PG_RETURN_BYTEA_P(value);
}

template <WideType Id>
Datum type_send(FunctionCallInfo fcinfo) {
    return bytea_datum(arg<Id>(fcinfo, 0).bytes);
}

template <WideType Id>
Datum type_from_bytea(FunctionCallInfo fcinfo) {
    const bytea *value = PG_GETARG_BYTEA_PP(0);
    const auto size = static_cast<int>(VARSIZE_ANY_EXHDR(value));
    if (size != static_cast<int>(sizeof(Id))) raise_binary_length(kTypeName<Id>, sizeof(Id), size);
    return datum_of_bytes<Id>(VARDATA_ANY(value));
}

}  // namespace snowid::pg
