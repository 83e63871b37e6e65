#include "core/alphabet/sno32.hpp"

#include <gtest/gtest.h>

#include "ids.hpp"
#include "random.hpp"

namespace snowid::core {
namespace {

constexpr Status read_sno32(std::string_view text, std::uint64_t head = 0, std::uint64_t tail = 0) {
    Bytes<10> bytes{};
    const Status status = decode_sno32(text, bytes);
    const bool is_right = load_be<5>(bytes.data()) == head && load_be<5>(bytes.data() + 5) == tail;
    return status == Status::ok && !is_right ? Status::bad_length : status;
}

// The example from the sno specification, and the largest sno.
static_assert(read_sno32("brpk4q72xwf2m63l", 0x4e6f2160a0, 0xff9a0a1033) == Status::ok);
static_assert(read_sno32("xxxxxxxxxxxxxxxx", 0xFFFFFFFFFF, 0xFFFFFFFFFF) == Status::ok);
static_assert(read_sno32("brpk4q72xwf2m63L") == Status::bad_character);

// A decoder that must agree with the alphabet.
struct Decoder {
    const char *name;
    Status (*decode)(const char *, Bytes<10> &) noexcept;
};

std::vector<Decoder> decoders() {
    std::vector<Decoder> all{{"words", decode_sno32_words}};
#if defined(__x86_64__)
    if (has_ssse3()) all.push_back({"ssse3", decode_sno32_ssse3});
#endif
    return all;
}

void agree_on(const Decoder &decoder, const std::string &text) {
    Bytes<10> expected{}, bytes{};
    expected.fill(0xA5);
    bytes.fill(0xA5);
    EXPECT_EQ(decoder.decode(text.data(), bytes), Base32<10>::decode(kSno32, text, expected))
        << decoder.name << ' ' << text;
    EXPECT_EQ(test::hex(bytes), test::hex(expected)) << decoder.name << ' ' << text;
}

TEST(Sno32, EveryCodecAgreesWithTheAlphabet) {
    std::mt19937_64 random = test::seeded_random();
    for (int i = 0; i < 20'000; ++i) {
        const auto bytes = test::random_bytes<10>(random);
        char text[kSno32Size + 1] = {}, expected[kSno32Size + 1] = {};
        encode_sno32(bytes, text);
        Base32<10>::encode(kSno32, bytes, expected);
        ASSERT_STREQ(text, expected);
        for (const Decoder &decoder : decoders()) agree_on(decoder, text);
    }
}

TEST(Sno32, EveryDecoderAgreesOnEveryCharacterAtEveryPosition) {
    for (const Decoder &decoder : decoders())
        for (std::size_t at = 0; at < kSno32Size; ++at)
            for (int c = 0; c < 256; ++c) {
                std::string text = "brpk4q72xwf2m63l";
                text[at] = static_cast<char>(c);
                agree_on(decoder, text);
            }
}

}  // namespace
}  // namespace snowid::core
