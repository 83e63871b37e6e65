#include "core/text/prefix.hpp"

#include <gtest/gtest.h>

#include "random.hpp"

namespace snowid::core {
namespace {

// [a-z]([a-z_]{0,61}[a-z])?
bool fits_the_rule(const std::string &text) {
    return !text.empty() && text.size() <= 63 && text[0] != '_' && text.back() != '_' &&
           text.find_first_not_of("_abcdefghijklmnopqrstuvwxyz") == std::string::npos;
}

TEST(Prefix, IsWhatTheRuleSays) {
    auto random = test::seeded_random();
    for (int i = 0; i < 200000; ++i) {
        std::string text;
        for (std::size_t size = i % 50 == 0 ? 60 + random() % 6 : random() % 6; text.size() < size;)
            text += "abyz__`{AZ09-. \n\xC3"[random() % (i % 2 == 0 ? 6 : 18)];
        EXPECT_EQ(is_prefix(text), fits_the_rule(text)) << text;
    }
}

TEST(Prefix, IsSplitFromWhatFollows) {
    Prefixed parts{};
    ASSERT_TRUE(split_prefix("a_b_123", 3, parts));
    EXPECT_EQ(parts.prefix, "a_b");
    EXPECT_EQ(parts.rest, "123");
    for (const char *text : {"", "_", "123", "_123", "a__123", "ab123", "a_12", "a_1234"})
        EXPECT_FALSE(split_prefix(text, 3, parts)) << text;
}

}  // namespace
}  // namespace snowid::core
