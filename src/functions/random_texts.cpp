// Nano IDs and Cuid2s: texts of random characters.
#include "core/text/random_text.hpp"

#include "pg/source/random.hpp"
#include "pg/type/arguments.hpp"

using namespace snowid::core;
using namespace snowid::pg;

namespace {

std::uint64_t random_word() { return load_be<8>(random_bytes<8>().data()); }

// Kept in the call's FmgrInfo, so that an alphabet that stays the same is read only once.
struct ReadAlphabet {
    RandomAlphabet alphabet;
    std::size_t size;
    char text[RandomAlphabet::kMost];

    bool is_of(std::string_view wanted) const noexcept { return wanted == std::string_view(text, size); }
};

[[noreturn]] void raise_alphabet(std::string_view alphabet) {
    ereport(ERROR,
            (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
             errmsg("\"%s\" cannot be the alphabet of a Nano ID", shown(alphabet)),
             errdetail("An alphabet has 2 to %d different ASCII characters.", static_cast<int>(RandomAlphabet::kMost)),
             errhint("Leave out the alphabet to use characters that are safe in a URL.")));
}

const RandomAlphabet &alphabet_argument(FunctionCallInfo fcinfo, int n) {
    const std::string_view wanted = text_argument(fcinfo, n);
    auto *read = static_cast<ReadAlphabet *>(fcinfo->flinfo->fn_extra);
    if (read != nullptr && read->is_of(wanted)) [[likely]]
        return read->alphabet;
    if (read == nullptr)
        read = static_cast<ReadAlphabet *>(fcinfo->flinfo->fn_extra =
                                               MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, sizeof(ReadAlphabet)));
    read->size = 0;
    if (!read->alphabet.set(wanted)) raise_alphabet(wanted);
    read->size = wanted.copy(read->text, sizeof read->text);
    return read->alphabet;
}

std::size_t size_argument(FunctionCallInfo fcinfo, const char *what, std::size_t min, std::size_t max) {
    const int size = PG_GETARG_INT32(0);
    if (size < static_cast<int>(min) || size > static_cast<int>(max))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("a %s has %d to %d characters", what, static_cast<int>(min), static_cast<int>(max)),
                        errdetail("It cannot have %d.", size), errhint("Leave out the number for the usual size.")));
    return static_cast<std::size_t>(size);
}

// put(out) writes the characters, and may write some more after them.
template <typename Put>
Datum text_of(std::size_t size, const Put &put) {
    auto *out = static_cast<text *>(palloc(VARHDRSZ + size + RandomAlphabet::kRoom));
    put(VARDATA(out));
    SET_VARSIZE(out, VARHDRSZ + size);
    PG_RETURN_TEXT_P(out);
}

}  // namespace

SNOWID_FUNCTION(snowid_nanoid_next) {
    const std::size_t size = size_argument(fcinfo, "Nano ID", kMinNanoId, kMaxNanoId);
    const RandomAlphabet &alphabet = alphabet_argument(fcinfo, 1);
    return text_of(size, [&](char *out) { alphabet.put(size, random_word, out); });
}

SNOWID_FUNCTION(snowid_cuid2_next) {
    const std::size_t size = size_argument(fcinfo, "Cuid2", kMinCuid2, kMaxCuid2);
    return text_of(size, [&](char *out) { put_cuid2(size, random_word, out); });
}
