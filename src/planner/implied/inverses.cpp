// Which uuid a TypeID is of, and which number a text in another base is of. Those of the types are with each type.
#include "core/text/number.hpp"
#include "core/text/typeid.hpp"

#include "pg/type/inverse.hpp"

using namespace snowid::core;
using namespace snowid::pg;

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
