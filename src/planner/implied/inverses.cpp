// Which id has a text. They stand here and not with each type, whose own input would no longer be inlined.
#include "core/id/types.hpp"
#include "core/text/number.hpp"
#include "core/text/typeid.hpp"

#include "pg/type/inverse.hpp"

using namespace snowid::core;
using namespace snowid::pg;

namespace {

template <std::size_t N>
Datum copied_datum(const Bytes<N> &bytes) {
    void *copy = palloc(N);
    std::memcpy(copy, bytes.data(), N);
    return PointerGetDatum(copy);
}

// Nobody can call these functions: their last argument is internal. Every type reads more texts
// than the one that it writes, and only that one is equal to what it writes. But a text that is not equal finds no row
// in the end, because the filter stays.
template <WideId Id>
Datum id_or_null(FunctionCallInfo fcinfo) {
    return inverse_datum(fcinfo, [](std::string_view given, Datum &found) {
        Id id{};
        if (parse(given, id) != Status::ok) return false;
        found = copied_datum(id.bytes);
        return true;
    });
}

}  // namespace

SNOWID_FUNCTION(snowid_ulid_or_null) { return id_or_null<Ulid>(fcinfo); }
SNOWID_FUNCTION(snowid_ksuid_or_null) { return id_or_null<Ksuid>(fcinfo); }
SNOWID_FUNCTION(snowid_objectid_or_null) { return id_or_null<ObjectId>(fcinfo); }
SNOWID_FUNCTION(snowid_rsxid_or_null) { return id_or_null<Rsxid>(fcinfo); }
SNOWID_FUNCTION(snowid_sandflake_or_null) { return id_or_null<Sandflake>(fcinfo); }
SNOWID_FUNCTION(snowid_sno_or_null) { return id_or_null<Sno>(fcinfo); }

SNOWID_FUNCTION(snowid_typeid_uuid_or_null) {
    if (PG_ARGISNULL(1)) PG_RETURN_NULL();
    const std::string_view prefix = text_argument(fcinfo, 1);
    return inverse_datum(fcinfo, [=](std::string_view given, Datum &found) {
        TypeId id{};
        if (parse(given, id) != Status::ok || id.prefix != prefix) return false;
        found = copied_datum(id.uuid);
        return true;
    });
}

SNOWID_FUNCTION(snowid_id_number_or_null) {
    NumberBase base{};
    if (PG_ARGISNULL(1) || !find_number_base(text_argument(fcinfo, 1), base)) PG_RETURN_NULL();
    return inverse_datum(fcinfo, [=](std::string_view given, Datum &found) {
        std::uint64_t number = 0;
        if (parse_number(base, given, number) != Status::ok) return false;
        found = Int64GetDatum(static_cast<std::int64_t>(number));
        return true;
    });
}
