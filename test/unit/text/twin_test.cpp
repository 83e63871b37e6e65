#include "text/twin.hpp"

#include <gtest/gtest.h>

#include "ids.hpp"
#include "random.hpp"

namespace snowid::test {
namespace {

constexpr int kRounds = 20000;

template <typename Id>
class Codec : public testing::Test {
protected:
    void agree_on(const Id &id) {
        const std::string text = twin_.encode(id.bytes.data(), sizeof(Id));
        EXPECT_EQ(text_of(id), text);
        agree_on(text);
    }

    void agree_on(const std::string &text) {
        Id expected{}, parsed{};
        const core::Status status = twin_.decode(text, expected.bytes.data(), sizeof(Id));
        EXPECT_EQ(parse(text, parsed), status) << text;
        EXPECT_EQ(hex(parsed.bytes), hex(expected.bytes)) << text;
    }

    char random_digit() { return twin_.alphabet[random_() % twin_.alphabet.size()]; }

    Twin twin_ = twin_of(Id{});
    std::mt19937_64 random_ = seeded_random();
};

TYPED_TEST_SUITE(Codec, WideIds);

TYPED_TEST(Codec, AgreesWithItsTwinOnRandomIds) {
    for (int i = 0; i < kRounds; ++i) this->agree_on(TypeParam{random_bytes<sizeof(TypeParam)>(this->random_)});
}

TYPED_TEST(Codec, AgreesWithItsTwinOnSingleBitsAndRunsOfBits) {
    for (std::size_t bit = 0; bit < 8 * sizeof(TypeParam); ++bit) {
        TypeParam one{}, run{};
        one.bytes[bit / 8] = static_cast<std::uint8_t>(0x80 >> bit % 8);
        for (std::size_t i = bit; i < 8 * sizeof(TypeParam); ++i)
            run.bytes[i / 8] |= static_cast<std::uint8_t>(0x80 >> i % 8);
        this->agree_on(one);
        this->agree_on(run);
    }
    this->agree_on(TypeParam{});
}

TYPED_TEST(Codec, AgreesWithItsTwinOnRandomDigitsAndOverflow) {
    for (int i = 0; i < kRounds; ++i) {
        std::string text(TypeParam::kTextSize, this->twin_.alphabet[0]);
        const std::size_t start = this->random_() % text.size();
        for (std::size_t j = start; j < text.size(); ++j) text[j] = this->random_digit();
        this->agree_on(text);
    }
}

TYPED_TEST(Codec, AgreesWithItsTwinOnEveryCharacterAtEveryPosition) {
    const std::string text =
        this->twin_.encode(random_bytes<sizeof(TypeParam)>(this->random_).data(), sizeof(TypeParam));
    for (std::size_t at = 0; at < text.size(); ++at)
        for (int c = 0; c < 256; ++c) {
            std::string other = text;
            other[at] = static_cast<char>(c);
            this->agree_on(other);
        }
}

TYPED_TEST(Codec, RefusesEveryOtherLength) {
    for (std::size_t size = 0; size < 64; ++size)
        if (size != TypeParam::kTextSize) expect_refused<TypeParam>(std::string(size, '0'), core::Status::bad_length);
}

}  // namespace
}  // namespace snowid::test
