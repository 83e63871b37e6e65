#include "core/text/number.hpp"

#include <gtest/gtest.h>

#include "ids.hpp"
#include "random.hpp"
#include "text/twin.hpp"

namespace snowid::core {
namespace {

struct Base {
    NumberBase base;
    std::string alphabet;
    bool is_case_folded = false;
};

const Base kBases[] = {
    {NumberBase::base36, "0123456789abcdefghijklmnopqrstuvwxyz"},
    {NumberBase::base58, "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"},
    {NumberBase::base62, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"},
    {NumberBase::crockford32, "0123456789ABCDEFGHJKMNPQRSTVWXYZ", true},
    {NumberBase::flickr58, "123456789abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ"},
    {NumberBase::zbase32, "ybndrfg8ejkmcpqxot1uwisza345h769"},
};

std::string text_of(NumberBase base, std::uint64_t number) {
    std::string text(kMaxNumberSize + 1, '#');
    const std::size_t size = format_number(base, number, text.data());
    EXPECT_EQ(text.find('#', size), size) << "wrote past its end";
    return text.substr(0, size);
}

void expect_both_ways(NumberBase base, std::uint64_t number, const std::string &text) {
    EXPECT_EQ(text_of(base, number), text);
    std::uint64_t read = 0;
    EXPECT_EQ(parse_number(base, text, read), Status::ok) << text;
    EXPECT_EQ(read, number);
}

NumberBase base_named(std::string_view name) {
    NumberBase base{};
    EXPECT_TRUE(find_number_base(name, base)) << name;
    return base;
}

// The columns have the names that another program uses.
TEST(Number, RoundTripsEveryVector) {
    for (const test::Row &row : test::read_vectors("bigint_text.tsv")) {
        const auto number = static_cast<std::uint64_t>(std::stoll(row.at("bigint")));
        for (const std::string_view name : kNumberBases)
            expect_both_ways(base_named(name), number, row.at(std::string(name)));
    }
    for (const test::Row &row : test::read_vectors("snowflake_text.tsv")) {
        const auto number = static_cast<std::uint64_t>(std::stoll(row.at("id")));
        expect_both_ways(NumberBase::base36, number, row.at("base36"));
        expect_both_ways(NumberBase::zbase32, number, row.at("base32_z"));
        expect_both_ways(NumberBase::flickr58, number, row.at("base58_bw"));
    }
}

TEST(Number, KnowsNoOtherBase) {
    NumberBase base = NumberBase::base36;
    for (const char *name : {"", "base", "base6", "base622", "BASE62", "base64", "hex"})
        EXPECT_FALSE(find_number_base(name, base)) << name;
    EXPECT_EQ(base, NumberBase::base36);
}

// All texts of the twin have the same size. Its leading zeros are not in ours.
class Twins {
public:
    explicit Twins(const Base &base) : base_(base), twin_{base.alphabet, kMaxNumberSize, 1, base.is_case_folded} {}

    void agree_on(std::uint64_t number) const {
        Bytes<8> bytes{};
        store_be<8>(bytes.data(), number);
        std::string text = twin_.encode(bytes.data(), bytes.size());
        text.erase(0, std::min(text.find_first_not_of(base_.alphabet[0]), text.size() - 1));
        expect_both_ways(base_.base, number, text);
    }

    void agree_on(const std::string &text) const {
        const bool is_padded = text.size() > 1 && text[0] == base_.alphabet[0];
        Bytes<8> bytes{};
        Status expected = is_padded ? Status::bad_character : Status::bad_length;
        if (!is_padded && !text.empty())
            expected =
                twin_.decode(std::string(kMaxNumberSize - text.size(), base_.alphabet[0]) + text, bytes.data(), 8);
        std::uint64_t number = 0;
        EXPECT_EQ(parse_number(base_.base, text, number), expected) << text;
        EXPECT_EQ(number, load_be<8>(bytes.data()));
    }

private:
    Base base_;
    test::Twin twin_;
};

TEST(Number, AgreesWithItsTwin) {
    auto random = test::seeded_random();
    for (const Base &base : kBases) {
        const Twins twins(base);
        for (int i = 0; i < 20000; ++i) twins.agree_on(random() >> random() % 64);
        for (int i = 0; i < 64; ++i)
            for (const std::uint64_t below : {0, 1}) twins.agree_on((std::uint64_t{1} << i) - below);
        twins.agree_on(~std::uint64_t{0});
        for (int i = 0; i < 20000; ++i) {
            std::string text;
            for (std::size_t size = random() % (kMaxNumberSize + 1); text.size() < size;)
                text +=
                    random() % 50 == 0 ? static_cast<char>(random()) : base.alphabet[random() % base.alphabet.size()];
            twins.agree_on(text);
        }
    }
}

TEST(Number, RefusesTheFirstPast64Bits) {
    std::uint64_t number = 7;
    EXPECT_EQ(parse_number(NumberBase::base62, "LygHa16AHYF", number), Status::ok);
    EXPECT_EQ(number, ~std::uint64_t{0});
    EXPECT_EQ(parse_number(NumberBase::base62, "LygHa16AHYG", number), Status::out_of_range);
    EXPECT_EQ(parse_number(NumberBase::base62, std::string(1000, 'z'), number), Status::out_of_range);
    EXPECT_EQ(parse_number(NumberBase::base62, std::string(1000, 'z') + "-", number), Status::bad_character);
}

}  // namespace
}  // namespace snowid::core
