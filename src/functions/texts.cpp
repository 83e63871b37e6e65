// Other texts of ids: numbers in other bases, and TypeIDs; and texts of random characters.
#include "core/text/number.hpp"
#include "core/text/random_text.hpp"
#include "core/text/typeid.hpp"
#include "pg/source/random.hpp"
#include "pg/type/arguments.hpp"

extern "C" {
#include "utils/builtins.h"
}

using namespace snowid::core;
using namespace snowid::pg;

namespace {

NumberBase base_argument(FunctionCallInfo fcinfo, int n) {
    const std::string_view name = text_argument(fcinfo, n);
    NumberBase base{};
    if (!find_number_base(name, base))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("there is no alphabet \"%s\"", shown(name)),
                        errdetail("Give the name of an alphabet, not its characters."),
                        errhint("The alphabets are base36, base58, base62, crockford32, flickr58 and zbase32.")));
    return base;
}

[[noreturn]] void raise_no_number(Status status, std::string_view given, NumberBase base) {
    const char *name = kNumberBases[static_cast<std::size_t>(base)].data();
    if (status == Status::out_of_range)
        ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                        errmsg("\"%s\" is out of range for a bigint in %s", shown(given), name),
                        errdetail("It has more than 64 bits."), errhint("It may be written in another alphabet.")));
    ereport(ERROR,
            (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION), errmsg("\"%s\" is not a number in %s", shown(given), name),
             errdetail("A number in %s has one or more digits of that alphabet, and no leading zeros.", name),
             errhint("id_text() writes such a number.")));
}

void require_typeid_prefix(std::string_view prefix) {
    if (prefix.empty() || is_prefix(prefix)) return;
    ereport(ERROR,
            (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("\"%s\" cannot be the prefix of a TypeID", shown(prefix)),
             errdetail("A prefix is empty, or has up to %d of the characters a to z and _, with a letter at each end.",
                       static_cast<int>(kMaxPrefix))));
}

[[noreturn]] void raise_no_typeid(std::string_view given, const char *detail) {
    ereport(ERROR, (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION), errmsg("invalid TypeID: \"%s\"", shown(given)),
                    errdetail("%s", detail), errhint("A TypeID looks like user_01h455vb4pex5vsknk084sn02q.")));
}

[[noreturn]] void raise_other_prefix(std::string_view given, const char *has, const char *expected) {
    ereport(ERROR, (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION), errmsg("invalid TypeID: \"%s\"", shown(given)),
                    errdetail("It has %s, where %s is expected.", has, expected)));
}

const char *describe(Status status) {
    switch (status) {
        case Status::ok: break;
        case Status::bad_length:
            return "It is not 26 characters, nor a prefix of a to z and _, another _, and 26 characters.";
        case Status::bad_character: return "Its last 26 characters are not all of 0123456789abcdefghjkmnpqrstvwxyz.";
        case Status::out_of_range:
            return "Its last 26 characters begin with more than 7, which is more than a uuid holds.";
    }
    return "";
}

TypeId typeid_argument(FunctionCallInfo fcinfo, int n) {
    const std::string_view given = text_argument(fcinfo, n);
    TypeId id{};
    const Status status = parse(given, id);
    if (status != Status::ok) raise_no_typeid(given, describe(status));
    return id;
}

const char *shown_prefix(std::string_view prefix) {
    return prefix.empty() ? "no prefix" : psprintf("the prefix \"%s\"", pnstrdup(prefix.data(), prefix.size()));
}

// Nano IDs and Cuid2s: texts of random characters.

std::uint64_t random_word() { return load_be<8>(random_bytes<8>().data()); }

[[noreturn]] void raise_alphabet(std::string_view alphabet) {
    ereport(ERROR,
            (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
             errmsg("\"%s\" cannot be the alphabet of a Nano ID", shown(alphabet)),
             errdetail("An alphabet has 2 to %d different ASCII characters.", static_cast<int>(RandomAlphabet::kMost)),
             errhint("Leave out the alphabet to use characters that are safe in a URL.")));
}

const RandomAlphabet &alphabet_argument(FunctionCallInfo fcinfo, int n) {
    return kept_argument<RandomAlphabet, RandomAlphabet::kMost>(fcinfo, n,
                                                                [](std::string_view text, RandomAlphabet &alphabet) {
                                                                    if (!alphabet.set(text)) raise_alphabet(text);
                                                                });
}

std::size_t size_argument(FunctionCallInfo fcinfo, const char *what, std::size_t min, std::size_t max) {
    const int size = PG_GETARG_INT32(0);
    if (size < static_cast<int>(min) || size > static_cast<int>(max))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("a %s has %d to %d characters", what, static_cast<int>(min), static_cast<int>(max)),
                        errdetail("It cannot have %d.", size), errhint("Leave out the number for the usual size.")));
    return static_cast<std::size_t>(size);
}

}  // namespace

SNOWID_FUNCTION(snowid_id_text) {
    const NumberBase base = base_argument(fcinfo, 1);
    return text_datum(kMaxNumberSize, [&](char *out) {
        return format_number(base, static_cast<std::uint64_t>(PG_GETARG_INT64(0)), out);
    });
}

SNOWID_FUNCTION(snowid_id_number) {
    const NumberBase base = base_argument(fcinfo, 1);
    const std::string_view given = text_argument(fcinfo, 0);
    std::uint64_t number = 0;
    const Status status = parse_number(base, given, number);
    if (status != Status::ok) raise_no_number(status, given, base);
    PG_RETURN_INT64(static_cast<std::int64_t>(number));
}

SNOWID_FUNCTION(snowid_typeid_text) {
    const std::string_view prefix = text_argument(fcinfo, 1);
    require_typeid_prefix(prefix);
    TypeId id{prefix, {}};
    std::memcpy(id.uuid.data(), DatumGetPointer(PG_GETARG_DATUM(0)), id.uuid.size());
    return text_datum(kMaxTypeIdSize, [&](char *out) { return format(id, out); });
}

SNOWID_FUNCTION(snowid_typeid_uuid) {
    const std::string_view prefix = text_argument(fcinfo, 1);
    require_typeid_prefix(prefix);
    const TypeId id = typeid_argument(fcinfo, 0);
    if (id.prefix != prefix)
        raise_other_prefix(text_argument(fcinfo, 0), shown_prefix(id.prefix), shown_prefix(prefix));
    void *uuid = palloc(id.uuid.size());
    std::memcpy(uuid, id.uuid.data(), id.uuid.size());
    PG_RETURN_POINTER(uuid);
}

SNOWID_FUNCTION(snowid_typeid_prefix) {
    const TypeId id = typeid_argument(fcinfo, 0);
    PG_RETURN_TEXT_P(cstring_to_text_with_len(id.prefix.data(), static_cast<int>(id.prefix.size())));
}

SNOWID_FUNCTION(snowid_nanoid_next) {
    const std::size_t size = size_argument(fcinfo, "Nano ID", kMinNanoId, kMaxNanoId);
    const RandomAlphabet &alphabet = alphabet_argument(fcinfo, 1);
    return text_datum(size + RandomAlphabet::kRoom, [&](char *out) {
        alphabet.put(size, random_word, out);
        return size;
    });
}

SNOWID_FUNCTION(snowid_cuid2_next) {
    const std::size_t size = size_argument(fcinfo, "Cuid2", kMinCuid2, kMaxCuid2);
    return text_datum(size + RandomAlphabet::kRoom, [&](char *out) {
        put_cuid2(size, random_word, out);
        return size;
    });
}
