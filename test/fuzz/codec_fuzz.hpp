// The checks of every fuzzer of a text form: the codec agrees with its slow twin, and text and bytes convert into each
// other.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "text/twin.hpp"

namespace snowid::test {

inline void demand(bool holds, const char *what) {
    if (holds) return;
    std::fprintf(stderr, "violated: %s\n", what);
    std::abort();
}

template <typename Id>
std::string formatted(const Id &id) {
    std::string text(Id::kTextSize, '#');
    format(id, text.data());
    return text;
}

template <typename Id>
void fuzz_parse(std::string_view text) {
    const Twin twin = twin_of(Id{});
    Id id{}, expected{};
    const core::Status status = parse(text, id);
    demand(status == twin.decode(text, expected.bytes.data(), sizeof(Id)),
           "parse agrees with the twin on what is an id");
    demand(id == expected, "parse agrees with the twin on the id");
    if (status != core::Status::ok) return;
    Id again{};
    demand(parse(formatted(id), again) == core::Status::ok && again == id, "what is formatted can be parsed");
    demand(twin.is_case_folded || formatted(id) == text, "an id has one text");
}

template <typename Id>
void fuzz_format(const std::uint8_t *data) {
    Id id{}, parsed{};
    std::memcpy(id.bytes.data(), data, sizeof(Id));
    const std::string text = formatted(id);
    demand(text == twin_of(id).encode(data, sizeof(Id)), "format agrees with the twin");
    demand(parse(text, parsed) == core::Status::ok && parsed == id, "all bytes are an id");
}

// The codecs have no branch per digit that coverage could learn from, so most bytes are turned into digits. A few stay
// something else.
template <typename Id>
std::string near_text(const std::uint8_t *data, std::size_t size) {
    const std::string alphabet = twin_of(Id{}).alphabet;
    std::string text;
    for (std::size_t i = 0; i < size; ++i)
        text += data[i] < 0xF8 ? alphabet[data[i] % alphabet.size()] : static_cast<char>(data[i] + data[i - i / 2]);
    return text;
}

template <typename Id>
int fuzz_codec(const std::uint8_t *data, std::size_t size) {
    fuzz_parse<Id>({reinterpret_cast<const char *>(data), size});
    fuzz_parse<Id>(near_text<Id>(data, size));
    if (size > Id::kTextSize) fuzz_parse<Id>(near_text<Id>(data, Id::kTextSize));
    if (size >= sizeof(Id)) fuzz_format<Id>(data);
    return 0;
}

}  // namespace snowid::test
