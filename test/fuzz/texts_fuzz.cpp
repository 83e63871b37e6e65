// Texts of the sealed form, TypeIDs, and numbers in every base: what is read is written as the same text.
#include "codec_fuzz.hpp"

#include "core/id/sealed.hpp"
#include "core/text/number.hpp"
#include "core/text/typeid.hpp"

namespace snowid::test {
namespace {

using namespace snowid::core;

void fuzz_typeid(std::string_view text) {
    TypeId id{};
    const Status status = parse(text, id);
    const std::size_t start = text.size() < kCrockford32Size ? 0 : text.size() - kCrockford32Size;
    const Twin twin{"0123456789abcdefghjkmnpqrstvwxyz", kCrockford32Size};
    Bytes<16> expected{};
    const bool has_prefix = start == 0 || (text[start - 1] == '_' && is_prefix(text.substr(0, start - 1)));
    const bool is_one = has_prefix && twin.decode(text.substr(start), expected.data(), 16) == Status::ok;
    demand((status == Status::ok) == is_one, "a TypeID is a prefix, and the digits of a uuid");
    if (status != Status::ok) return;
    char out[kMaxTypeIdSize];
    demand(id.uuid == expected, "its uuid is the twin's");
    demand(std::string_view(out, format(id, out)) == text, "a TypeID has one text");
}

void fuzz_number(std::string_view text) {
    for (const std::string_view name : kNumberBases) {
        NumberBase base{};
        std::uint64_t number = 0;
        find_number_base(name, base);
        if (parse_number(base, text, number) != Status::ok) continue;
        char out[kMaxNumberSize];
        const std::string_view again(out, format_number(base, number, out));
        std::uint64_t same = 0;
        demand(parse_number(base, again, same) == Status::ok && same == number, "what is written can be read");
        demand(again.size() == text.size(), "a number has one length");
        demand(again == text || base == NumberBase::crockford32, "a number has one text");
    }
}

// A key that anybody can turn round, so that the fuzzer gets through to the ids.
bool turn(unsigned number, SealBlock &block) {
    for (std::uint8_t &byte : block) byte ^= static_cast<std::uint8_t>(number * 37 + 1);
    return number % 3 != 2;
}

void fuzz_sealed(std::string_view text, std::string_view prefix) {
    Opened opened{};
    const Unsealed result = unseal(text, prefix, turn, opened);
    demand(result != Unsealed::other_prefix || (is_prefix(opened.prefix) && opened.prefix != prefix),
           "another prefix is one");
    demand(result != Unsealed::unknown_key || opened.number <= kMaxSealKey, "a key's number is from 0 to 6");
    if (result != Unsealed::ok) return;
    char out[kMaxSealedSize];
    const auto encipher = [&](SealBlock &block) { turn(opened.number, block); };
    demand(std::string_view(out, seal(opened.id, opened.number, prefix, encipher, out)) == text,
           "a sealed id has one text");
}

void fuzz_seal(const std::uint8_t *data) {
    const std::uint64_t id = load_be<8>(data);
    const unsigned number = data[8] % kSealKeys;
    char out[kMaxSealedSize];
    const std::string_view text(out, seal(
                                         id, number, "ord", [&](SealBlock &block) { turn(number, block); }, out));
    Opened opened{};
    const Unsealed result = unseal(text, "ord", turn, opened);
    demand(result == (number % 3 == 2 ? Unsealed::unknown_key : Unsealed::ok), "what is sealed opens by its key");
    demand(result != Unsealed::ok || opened.id == id, "to the same id");
}

std::string near_typeid(const std::uint8_t *data, std::size_t size) {
    std::string text = near_text<Ulid>(data, std::min(size, kCrockford32Size));
    for (char &c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
    return text;
}

}  // namespace
}  // namespace snowid::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char *>(data), size);
    snowid::test::fuzz_typeid(text);
    snowid::test::fuzz_typeid("user_" + snowid::test::near_typeid(data, size));
    snowid::test::fuzz_number(text);
    snowid::test::fuzz_sealed(text, "ord");
    snowid::test::fuzz_sealed("ord_" + snowid::test::near_text<snowid::core::Ksuid>(data, size < 23 ? size : 23),
                              "ord");
    if (size >= 9) snowid::test::fuzz_seal(data);
    return 0;
}
