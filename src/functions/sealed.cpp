// Sealed ids in SQL.
#include "core/id/sealed.hpp"

#include "pg/error.hpp"
#include "pg/type/arguments.hpp"
#include "pg/type/inverse.hpp"
#include "server/seal/keys.hpp"

using namespace snowid::core;
using namespace snowid::pg;
using namespace snowid::server;

namespace {

const BlockCipher &cipher_to_seal_with(int number, std::string_view prefix) {
    const BlockCipher *cipher = seal_cipher(number, prefix);
    if (cipher == nullptr)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("there is no key %d to seal with", number),
                        errhint("The view snowid_seal_keys lists the keys of this database.")));
    return *cipher;
}

const char *describe(Unsealed result, std::string_view prefix, const Opened &opened) {
    const char *expected = pnstrdup(prefix.data(), prefix.size());
    switch (result) {
        case Unsealed::ok:
        case Unsealed::malformed: break;
        case Unsealed::other_prefix:
            return psprintf("It has the prefix \"%s\", where \"%s\" is expected.",
                            pnstrdup(opened.prefix.data(), opened.prefix.size()), expected);
        case Unsealed::unknown_key:
            return psprintf("It has key number %d, which this database does not have.",
                            static_cast<int>(opened.number));
        case Unsealed::forged: return "It was not made by this database's keys, or was changed.";
    }
    return psprintf("It must be \"%s_\" followed by %d of the characters 0-9, A-Z and a-z.", expected,
                    static_cast<int>(Bits131::kTextSize));
}

[[noreturn]] void raise_unsealed(Unsealed result, std::string_view sealed, std::string_view prefix,
                                 const Opened &opened) {
    require_seal_prefix(prefix);
    ereport(ERROR, (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
                    errmsg("invalid sealed id: \"%s\"", shown_in_ascii(sealed, 80)),
                    errdetail("%s", describe(result, prefix, opened))));
}

Unsealed open(std::string_view sealed, std::string_view prefix, Opened &opened) {
    const auto decipher_by = [&](unsigned number, SealBlock &block) {
        const BlockCipher *cipher = seal_cipher(static_cast<int>(number), prefix);
        if (cipher != nullptr) decipher(*cipher, block);
        return cipher != nullptr;
    };
    return unseal(sealed, prefix, decipher_by, opened);
}

}  // namespace

SNOWID_FUNCTION(snowid_id_seal) {
    if (PG_ARGISNULL(0) || PG_ARGISNULL(1)) PG_RETURN_NULL();
    const std::string_view prefix = text_argument(fcinfo, 1);
    require_seal_keys();
    const int number = PG_ARGISNULL(2) ? current_seal_key() : PG_GETARG_INT32(2);
    const BlockCipher &cipher = cipher_to_seal_with(number, prefix);
    return text_datum(kMaxSealedSize, [&](char *out) {
        return seal(
            static_cast<std::uint64_t>(PG_GETARG_INT64(0)), static_cast<unsigned>(number), prefix,
            [&](SealBlock &block) { encipher(cipher, block); }, out);
    });
}

SNOWID_FUNCTION(snowid_id_unseal) {
    const std::string_view sealed = text_argument(fcinfo, 0), prefix = text_argument(fcinfo, 1);
    require_seal_keys();
    Opened opened{};
    const Unsealed result = open(sealed, prefix, opened);
    if (result != Unsealed::ok) raise_unsealed(result, sealed, prefix, opened);
    PG_RETURN_INT64(static_cast<std::int64_t>(opened.id));
}

SNOWID_FUNCTION(snowid_id_try_unseal) {
    const std::string_view sealed = text_argument(fcinfo, 0), prefix = text_argument(fcinfo, 1);
    require_seal_prefix(prefix);
    require_seal_keys();
    Opened opened{};
    if (open(sealed, prefix, opened) != Unsealed::ok) PG_RETURN_NULL();
    PG_RETURN_INT64(static_cast<std::int64_t>(opened.id));
}

// For the planner, which never raises an error for a text.
SNOWID_FUNCTION(snowid_id_unseal_or_null) {
    if (PG_ARGISNULL(1) || !is_prefix(text_argument(fcinfo, 1)) || !has_seal_keys()) PG_RETURN_NULL();
    const std::string_view prefix = text_argument(fcinfo, 1);
    return inverse_datum(fcinfo, [=](std::string_view sealed, Datum &found) {
        Opened opened{};
        if (open(sealed, prefix, opened) != Unsealed::ok) return false;
        found = Int64GetDatum(static_cast<std::int64_t>(opened.id));
        return true;
    });
}
