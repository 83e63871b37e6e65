#include "core/text/random_text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "random.hpp"
#include "vectors.hpp"

namespace snowid::core {
namespace {

constexpr std::string_view k62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

std::string random_text(const RandomAlphabet &alphabet, std::size_t size, std::mt19937_64 &random) {
    std::string text(size + RandomAlphabet::kRoom, '#');
    alphabet.put(
        size, [&] { return random(); }, text.data());
    return text.substr(0, size);
}

TEST(RandomText, TakesAnyAlphabetOfAscii) {
    RandomAlphabet alphabet;
    std::string all;
    for (int c = 0; c < 128; ++c) all += static_cast<char>(c);
    EXPECT_TRUE(alphabet.set(all));
    EXPECT_TRUE(alphabet.set("01"));
    for (const std::string &wrong :
         {std::string(), std::string("a"), std::string("aba"), std::string("a\xC3\xA4"), all + "a"})
        EXPECT_FALSE(alphabet.set(wrong)) << wrong;
}

TEST(RandomText, HasTheSizeAndTheCharactersThatWereAskedFor) {
    auto random = test::seeded_random();
    for (std::size_t count = 2; count <= k62.size(); ++count)
        for (std::size_t size = kMinNanoId; size <= kMaxNanoId; ++size) {
            RandomAlphabet alphabet;
            ASSERT_TRUE(alphabet.set(k62.substr(0, count)));
            const std::string text = random_text(alphabet, size, random);
            EXPECT_EQ(text.size(), size);
            EXPECT_EQ(text.find_first_not_of(k62.substr(0, count)), std::string::npos) << text;
        }
}

// How far the counts of n kinds are from n equal counts. The mean is n - 1, and the variance is twice that.
double chi_square(const std::map<char, int> &counts, std::size_t kinds, int all) {
    const double each = static_cast<double>(all) / static_cast<double>(kinds);
    double sum = each * static_cast<double>(kinds - counts.size());
    for (const auto &[c, count] : counts) sum += (count - each) * (count - each) / each;
    return sum;
}

// The seed is fixed, so this cannot fail by chance. A bias of 1/64 of all words, as from taking a remainder, would be
// 150 times the bound.
TEST(RandomText, MakesEachCharacterAsOftenAsTheOthers) {
    std::mt19937_64 random(20241);
    for (const std::size_t count : {std::size_t{62}, std::size_t{33}}) {
        RandomAlphabet alphabet;
        ASSERT_TRUE(alphabet.set(k62.substr(0, count)));
        std::vector<std::map<char, int>> counts(21);
        constexpr int kTexts = 200000;
        std::map<char, int> everywhere;
        for (int i = 0; i < kTexts; ++i) {
            const std::string text = random_text(alphabet, counts.size(), random);
            for (std::size_t at = 0; at < text.size(); ++at) ++counts[at][text[at]], ++everywhere[text[at]];
        }
        const auto freedom = static_cast<double>(count - 1);
        const double bound = freedom + 6 * std::sqrt(2 * freedom);
        EXPECT_LT(chi_square(everywhere, count, kTexts * 21), bound) << count;
        for (const auto &at : counts) EXPECT_LT(chi_square(at, count, kTexts), bound) << count;
    }
}

std::string cuid2(std::size_t size, std::mt19937_64 &random) {
    std::string text(size + RandomAlphabet::kRoom, '#');
    put_cuid2(
        size, [&] { return random(); }, text.data());
    return text.substr(0, size);
}

// Like the reference's isCuid, which checks only the form.
bool fits_the_form(const std::string &text) {
    return text.size() >= kMinCuid2 && text.size() <= kMaxCuid2 && text[0] > '9' &&
           text.find_first_not_of("0123456789abcdefghijklmnopqrstuvwxyz") == std::string::npos;
}

TEST(Cuid2, HasTheReferencesForm) {
    auto random = test::seeded_random();
    for (int i = 0; i < 2000; ++i)
        for (std::size_t size = kMinCuid2; size <= kMaxCuid2; ++size) {
            const std::string text = cuid2(size, random);
            EXPECT_EQ(text.size(), size);
            EXPECT_TRUE(fits_the_form(text)) << text;
        }
    for (const test::Row &row : test::read_vectors("cuid2.format.tsv")) {
        const std::string text = test::json_string(row.at("input_json_string"));
        EXPECT_EQ(fits_the_form(text), row.at("expected") == "valid") << text;
    }
}

TEST(Cuid2, IsUniform) {
    std::mt19937_64 random(20242);
    std::map<char, int> first, rest;
    constexpr int kTexts = 200000;
    for (int i = 0; i < kTexts; ++i) {
        const std::string text = cuid2(24, random);
        ++first[text[0]];
        for (const char c : text.substr(1)) ++rest[c];
    }
    EXPECT_LT(chi_square(first, 26, kTexts), 25 + 6 * std::sqrt(50.0));
    EXPECT_LT(chi_square(rest, 36, kTexts * 23), 35 + 6 * std::sqrt(70.0));
}

}  // namespace
}  // namespace snowid::core
