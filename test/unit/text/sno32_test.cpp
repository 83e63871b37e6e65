#include "core/text/sno32.hpp"

#include <gtest/gtest.h>

#include "ids.hpp"
#include "random.hpp"

namespace snowid::core {
namespace {

constexpr Status decoded(std::string_view text, std::uint64_t head = 0, std::uint64_t tail = 0) {
    Bytes<10> bytes{};
    const Status status = decode_sno32(text, bytes);
    const bool is_right = load_be<5>(bytes.data()) == head && load_be<5>(bytes.data() + 5) == tail;
    return status == Status::ok && !is_right ? Status::bad_length : status;
}

// The example of the sno specification, and the largest one.
static_assert(decoded("brpk4q72xwf2m63l", 0x4e6f2160a0, 0xff9a0a1033) == Status::ok);
static_assert(decoded("xxxxxxxxxxxxxxxx", 0xFFFFFFFFFF, 0xFFFFFFFFFF) == Status::ok);
static_assert(decoded("brpk4q72xwf2m63L") == Status::bad_character);

// One of the ways in which the codec is written.
struct Way {
    const char *name;
    void (*encode)(const Bytes<10> &, char *) noexcept;
    Status (*decode)(const char *, Bytes<10> &) noexcept;
};

std::vector<Way> ways() {
    std::vector<Way> all{{"words", encode_sno32_words, decode_sno32_words}};
#if defined(__x86_64__)
    if (has_ssse3()) all.push_back({"ssse3", encode_sno32_ssse3, decode_sno32_ssse3});
#endif
    return all;
}

void agree_on(const Way &way, const std::string &text) {
    Bytes<10> expected{}, bytes{};
    expected.fill(0xA5);
    bytes.fill(0xA5);
    EXPECT_EQ(way.decode(text.data(), bytes), Base32<10>::decode(kSno32, text, expected)) << way.name << ' ' << text;
    EXPECT_EQ(test::hex(bytes), test::hex(expected)) << way.name << ' ' << text;
}

TEST(Sno32, EveryWayToWriteItAgreesWithTheAlphabet) {
    std::mt19937_64 random = test::seeded_random();
    for (const Way &way : ways())
        for (int i = 0; i < 20'000; ++i) {
            const auto bytes = test::random_bytes<10>(random);
            char text[kSno32Size + 1] = {}, expected[kSno32Size + 1] = {};
            way.encode(bytes, text);
            Base32<10>::encode(kSno32, bytes, expected);
            ASSERT_STREQ(text, expected) << way.name;
            agree_on(way, text);
        }
}

TEST(Sno32, EveryWayToReadItAgreesOnEveryCharacterInEveryPlace) {
    for (const Way &way : ways())
        for (std::size_t at = 0; at < kSno32Size; ++at)
            for (int c = 0; c < 256; ++c) {
                std::string text = "brpk4q72xwf2m63l";
                text[at] = static_cast<char>(c);
                agree_on(way, text);
            }
}

}  // namespace
}  // namespace snowid::core
