// Nano IDs and Cuid2s: texts of random characters.
#include "core/text/random_text.hpp"

#include "pg/source/random.hpp"
#include "pg/type/arguments.hpp"

using namespace snowid::core;
using namespace snowid::pg;

namespace {

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
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("a %s cannot have %d characters", what, size),
                        errdetail("It must have %d to %d characters.", static_cast<int>(min), static_cast<int>(max)),
                        errhint("Leave out the number for the usual size.")));
    return static_cast<std::size_t>(size);
}

}  // namespace

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
