#include "core/text/time_text.hpp"

#include <gtest/gtest.h>

#include <ctime>

#include "random.hpp"

namespace snowid::core {
namespace {

std::string shown(UnixMicros t) {
    char text[64];
    Writer out(text, sizeof text);
    put_time(out, t);
    return std::string(out.view());
}

TEST(ParseTime, ReadsEveryForm) {
    constexpr std::int64_t kDay = 1'704'067'200'000'000;  // 2024-01-01
    const struct {
        const char *text;
        std::int64_t micros;
    } cases[] = {
        {"2024-01-01", kDay},
        {"2024-01-01T10:20", kDay + 37'200'000'000},
        {"2024-01-01 10:20", kDay + 37'200'000'000},
        {"2024-01-01T10:20Z", kDay + 37'200'000'000},
        {"2024-01-01 10:20:30", kDay + 37'230'000'000},
        {"2024-01-01T10:20:30.5Z", kDay + 37'230'500'000},
        {"2024-01-01 10:20:30.123456Z", kDay + 37'230'123'456},
        {"2024-01-01T23:59:59.999999", kDay + 86'399'999'999},
        {"1969-12-31T23:59:59.999999Z", -1},
        {"0000-01-01", -62'167'219'200'000'000},
        {"9999-12-31", 253'402'214'400'000'000},
    };
    for (const auto &c : cases) {
        UnixMicros micros{};
        EXPECT_TRUE(parse_time(c.text, micros)) << c.text;
        EXPECT_EQ(micros.value, c.micros) << c.text;
    }
}

TEST(ParseTime, RefusesWhatIsNotADate) {
    for (const char *text : {"",
                             "2024",
                             "2024-1-1",
                             "24-01-01",
                             "2024-00-01",
                             "2024-13-01",
                             "2024-01-00",
                             "2024-04-31",
                             "2100-02-29",
                             "2024/01/01",
                             "2024-01-01T",
                             "2024-01-01Z",
                             "2024-01-01x",
                             "2024-01-01T10",
                             "2024-01-01t10:20",
                             "2024-01-01T24:00",
                             "2024-01-01T10:60",
                             "2024-01-01T10:20:60",
                             "2024-01-01T10:20:3",
                             "2024-01-01T10:20.5",
                             "2024-01-01T10:20:30.",
                             "2024-01-01T10:20:30.Z",
                             "2024-01-01T10:20:30.1234567",
                             "2024-01-01T10:20:30+00",
                             "2024-01-01T10:20:30ZZ",
                             "2024-01-01  10:20",
                             " 2024-01-01",
                             "2024-01-01 ",
                             "+024-01-01",
                             "2024--1-01",
                             "2024-01-01T10:20:30.99999999999999999999999999999999"}) {
        UnixMicros micros{};
        EXPECT_FALSE(parse_time(text, micros)) << text;
    }
}

TEST(PutTime, ShowsMillisecondsAndMoreOnlyIfThereIsMore) {
    EXPECT_EQ(shown({0}), "1970-01-01T00:00:00.000Z");
    EXPECT_EQ(shown({-1}), "1969-12-31T23:59:59.999999Z");
    EXPECT_EQ(shown({1'645'557'742'000'000}), "2022-02-22T19:22:22.000Z");
    EXPECT_EQ(shown({1'645'557'742'000'010}), "2022-02-22T19:22:22.000010Z");
    EXPECT_EQ(shown({-12'219'292'800'000'000}), "1582-10-15T00:00:00.000Z");
    EXPECT_EQ(shown({281'474'976'710'655'000}), "10889-08-02T05:31:50.655Z");
    EXPECT_EQ(shown({INT64_MAX - 1}), "294247-01-10T04:00:54.775806Z");
}

TEST(PutTime, AgreesWithTheCLibrary) {
    auto random = test::seeded_random();
    for (int i = 0; i < 20000; ++i) {
        const std::int64_t second = static_cast<std::int64_t>(random() >> 22) - (1LL << 40);
        const std::time_t t = second;
        std::tm parts{};
        gmtime_r(&t, &parts);
        char expected[64];
        const int year = parts.tm_year + 1900;
        std::snprintf(expected, sizeof expected, "%s%04d-%02d-%02dT%02d:%02d:%02d.000Z", year < 0 ? "-" : "",
                      std::abs(year), parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
        EXPECT_EQ(shown({second * kMicrosPerSecond}), expected);
    }
}

TEST(PutTime, IsReadAsTheSameTime) {
    auto random = test::seeded_random();
    for (int i = 0; i < 20000; ++i) {
        const UnixMicros t{static_cast<std::int64_t>(random() % 253'402'300'800'000'000)};
        UnixMicros again{};
        EXPECT_TRUE(parse_time(shown(t), again)) << shown(t);
        EXPECT_EQ(again, t) << shown(t);
    }
}

TEST(Writer, LeavesOutWhatHasNoRoom) {
    char text[] = "######";
    Writer out(text, 4);
    out.put("ab");
    out.put_number(12345);
    out.put_printable("\xff");
    EXPECT_EQ(text[4], '#');
    EXPECT_LE(out.size(), 4U);
    FixedText<3> fixed;
    fixed.append("abcd");
    EXPECT_EQ(fixed.view(), "abc");
    EXPECT_EQ(fixed.text[3], '\0');
}

TEST(Writer, ShowsWhatIsNotPrintableAsBytes) {
    FixedText<32> out;
    out.append([](Writer &to) { to.put_printable("a\n\xc3\xa9~"); });
    EXPECT_EQ(out.view(), "a\\x0a\\xc3\\xa9~");
}

}  // namespace
}  // namespace snowid::core
