#include "core/inspect/inspect.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/id/ulid.hpp"
#include "core/inspect/readings.hpp"
#include "core/layout/layout_text.hpp"
#include "core/text/number.hpp"
#include "core/text/time_text.hpp"
#include "ids.hpp"
#include "layout/random_layout.hpp"
#include "random.hpp"
#include "vectors.hpp"

namespace snowid::core {
namespace {

using test::layout_of;

UnixMicros time_of(const std::string &text) {
    UnixMicros t{};
    EXPECT_TRUE(parse_time(text, t)) << text;
    return t;
}

const UnixMicros kToday = time_of("2026-11-22");

std::vector<Finding> findings_of(std::string_view text, const char *layout = "default", UnixMicros now = kToday) {
    std::vector<Finding> found(kMaxFindings);
    found.resize(inspect(text, {layout_of(layout), now}, found.data()));
    return found;
}

std::string shown(UnixMicros t) {
    FixedText<40> text;
    text.append([&](Writer &out) { put_time(out, t); });
    return std::string(text.view());
}

std::string answer(const std::vector<Finding> &found) {
    std::string all;
    for (const Finding &finding : found) {
        all += (all.empty() ? "" : ", ") + std::string(finding.format.view()) + ":";
        all += name_of(finding.confidence);
        if (finding.time) all += "@" + shown(*finding.time);
    }
    return all.empty() ? "nothing" : all;
}

const Finding *find(const std::vector<Finding> &found, std::string_view format) {
    const auto at =
        std::find_if(found.begin(), found.end(), [&](const Finding &f) { return f.format.view() == format; });
    return at == found.end() ? nullptr : &*at;
}

TEST(Inspect, GivesThePublishedAnswers) {
    for (const test::Row &row : test::read_vectors("inspect.examples.tsv")) {
        const auto found = findings_of(row.at("input"));
        if (row.at("formats") == "nothing") {
            EXPECT_EQ(answer(found), "nothing") << row.at("input");
            continue;
        }
        const Finding *last = nullptr;
        for (const std::string &expected : test::split(row.at("formats"), ',')) {
            const auto words = test::split(expected, ':');
            const Finding *finding = find(found, words[0]);
            ASSERT_EQ(finding != nullptr, words[1] != "no") << row.at("input") << ": " << expected;
            if (finding == nullptr) continue;
            EXPECT_EQ(name_of(finding->confidence), words[1]) << row.at("input") << ": " << expected;
            if (last == nullptr && !row.at("time").empty()) {
                EXPECT_EQ(finding->time, time_of(test::split(row.at("time"), ' ')[0])) << row.at("input");
            }
            EXPECT_LT(last, finding) << row.at("input") << ": the order";
            last = finding;
        }
    }
}

// An answer that ends in … may continue with more named layouts.
TEST(Inspect, GivesExactlyTheseAnswers) {
    constexpr std::string_view kMore = ", …";
    for (const test::Row &row : test::read_vectors("inspect.cases.tsv")) {
        std::string expected = row.at("answer");
        std::string given = answer(findings_of(test::json_string(row.at("input_json_string"))));
        if (expected.ends_with(kMore)) {
            expected.resize(expected.size() - kMore.size());
            given.resize(std::min(given.size(), expected.size()));
        }
        EXPECT_EQ(given, expected) << row.at("input_json_string");
    }
}

// Every id is found as what it is, with its time if the file has it. If another format is likelier, the finding is only
// `possible`.
void expect_found(const char *file, const char *column, const char *format, std::int64_t tick_ms, const char *time) {
    for (const test::Row &row : test::read_vectors(file)) {
        const auto found = findings_of(row.at(column));
        const Finding *finding = find(found, format);
        ASSERT_NE(finding, nullptr) << file << ": " << row.at(column);
        const Finding *first = found[0].format.view() == "bytes" ? &found[1] : &found[0];
        EXPECT_TRUE(finding == first || finding->confidence == Confidence::possible) << row.at(column);
        if (time != nullptr) {
            EXPECT_EQ(finding->time.value().value / kMicrosPerMilli / tick_ms,
                      std::stoll(row.at(time)) / (time[5] == 'n' ? 1'000'000 : 1))
                << row.at(column);
        }
    }
}

TEST(Inspect, FindsEveryValidVector) {
    expect_found("ulid.valid.tsv", "text", "ulid", 1, "unix_ms");
    expect_found("ulid.valid.tsv", "hex", "ulid bytes", 1, "unix_ms");
    expect_found("uuidv7.valid.tsv", "text", "uuid v7", 1, "unix_ms");
    expect_found("ksuid.valid.tsv", "text", "ksuid", 1000, "unix_s");
    expect_found("ksuid.valid.tsv", "hex", "ksuid bytes", 1000, "unix_s");
    expect_found("objectid.valid.tsv", "hex", "objectid", 1000, "unix_s");
    expect_found("xid.valid.tsv", "text", "rsxid", 1000, "unix_s");
    expect_found("xid.valid.tsv", "hex", "rsxid bytes", 1000, "unix_s");
    expect_found("sandflake.valid.tsv", "text", "sandflake", 1, "unix_ms");
    expect_found("sno.valid.tsv", "text", "sno", 1, "unix_ns");
    expect_found("sno.valid.tsv", "hex", "sno bytes", 1, "unix_ns");
    expect_found("cuid.valid.tsv", "cuid", "cuid", 1, "unix_ms");
    expect_found("typeid.valid.tsv", "typeid", "typeid", 1, nullptr);
    expect_found("typeid.spec.valid.tsv", "typeid", "typeid", 1, nullptr);
    expect_found("sealed8.valid.tsv", "text", "sealed id", 1, nullptr);
}

// The first time at which ids of a preset are believed, in milliseconds.
std::int64_t since_of(const std::string &preset) {
    for (const Reading &reading :
         Readings({layout_of("epoch=2020-01-01,tick=1ms,time=41,worker=10,sequence=12"), kToday}))
        if (reading.preset == preset) return reading.since.value / 1000;
    return 0;
}

TEST(Inspect, FindsEverySnowflakeOfAPlausibleTime) {
    for (const test::Row &row : test::read_vectors("snowflake.valid.tsv")) {
        const std::string layout = row.at("layout") == "sonyflake_v1"   ? "sonyflake"
                                   : row.at("layout") == "sonyflake_v2" ? "sonyflake2"
                                                                        : row.at("layout");
        const std::int64_t ms = std::stoll(row.at("unix_ms"));
        const Finding *own = find(findings_of(row.at("id"), layout.c_str()), "snowflake");
        ASSERT_NE(own, nullptr) << row.at("id");
        const auto found = findings_of(row.at("id"));
        const Finding *finding = find(found, "snowflake/" + layout);
        const bool is_plausible = ms >= since_of(layout) && ms <= kToday.value / 1000 + 86'400'000;
        ASSERT_EQ(finding != nullptr, is_plausible) << layout << " " << row.at("id");
        if (finding != nullptr) {
            EXPECT_EQ(finding->time.value().value / 1000, ms);
        }
    }
}

// A text that a type's parser refuses is not listed as that type.
void expect_not_found(const char *file, std::initializer_list<const char *> formats) {
    for (const test::Row &row : test::read_vectors(file))
        for (const char *format : formats) {
            const std::string text = test::json_string(row.at("input_json_string"));
            char room[kMaxPasted];
            if (unwrap(text, room) != text) continue;  // it is another text
            EXPECT_EQ(find(findings_of(text), format), nullptr) << file << ": " << text;
        }
}

TEST(Inspect, ListsNothingThatDoesNotParse) {
    expect_not_found("ulid.invalid.tsv", {"ulid"});
    expect_not_found("ksuid.invalid.tsv", {"ksuid"});
    expect_not_found("objectid.invalid.tsv", {"objectid", "rsxid bytes"});
    expect_not_found("xid.invalid.tsv", {"rsxid"});
    expect_not_found("sandflake.invalid.tsv", {"sandflake"});
    expect_not_found("sno.invalid.tsv", {"sno"});
    expect_not_found("typeid.invalid.tsv", {"typeid"});
    expect_not_found("typeid.spec.invalid.tsv", {"typeid"});
    expect_not_found("cuid.invalid.tsv", {"cuid"});
    expect_not_found("uuid.invalid.tsv", {"uuid", "uuid v4", "uuid v7", "uuid nil", "uuid max"});
}

TEST(Inspect, ReadsUuidsAsPostgresqlDoes) {
    for (const test::Row &row : test::read_vectors("uuid.lenient.tsv")) {
        const auto found = findings_of(row.at("input"));
        EXPECT_TRUE(std::any_of(found.begin(), found.end(), [&](const Finding &f) {
            return f.canonical.view() == row.at("canonical");
        })) << row.at("input");
    }
}

TEST(Inspect, ReadsVersionsVariantsAndTimesOfUuids) {
    for (const test::Row &row : test::read_vectors("uuid_version.tsv")) {
        const Finding found = findings_of(row.at("text")).at(0);
        const std::string version = row.at("version");
        const bool is_of_rfc = version.size() == 1 && version >= "1" && version <= "8";
        if (row.at("text").find_first_not_of("0f-") == std::string::npos) continue;
        EXPECT_EQ(found.format.view(), is_of_rfc ? "uuid v" + version : "uuid") << row.at("text");
        EXPECT_EQ(found.time.has_value(), row.at("unix_ms_if_timestamped") != "-") << row.at("text");
        if (found.time) {
            EXPECT_EQ(floor_div(found.time->value, 1000), std::stoll(row.at("unix_ms_if_timestamped")));
        }
        if (!is_of_rfc) {
            EXPECT_NE(found.fields.view().find("\"" + row.at("variant") + "\""), std::string_view::npos)
                << row.at("text");
        }
    }
}

TEST(Inspect, PutsTheLayoutAtHandFirstAndNotTwice) {
    const auto found = findings_of("175928847299117063", "discord");
    EXPECT_EQ(answer({found[0], found[1]}),
              "one of snowflake, snowflake/twitter, snowflake/sonyflake, snowflake/default, snowflake/wide:likely, "
              "snowflake:likely@2016-04-30T11:18:25.796Z");
    EXPECT_EQ(find(found, "snowflake/discord"), nullptr);
    EXPECT_EQ(find(found, "snowflake/default")->confidence, Confidence::possible);
    EXPECT_EQ(found[1].fields.view(), R"({"time": 41944705796, "worker": 1, "process": 0, "sequence": 7})");
}

TEST(Inspect, IsNotSureOfTomorrow) {
    const UnixMicros t = time_of("2026-11-22");
    EXPECT_EQ(answer(findings_of("01KAKZJJ00ZZZZZZZZZZZZZZZZ", "default", {0})).substr(0, 13), "ulid:possible");
    const auto ulid = [&](std::int64_t after) {
        Ulid id = all_bits<Ulid>(true);
        Ulid::Time::write(static_cast<std::uint64_t>(t.value / 1000 + after), id.bytes);
        return findings_of(test::text_of(id)).at(0).confidence;
    };
    EXPECT_EQ(ulid(0), Confidence::likely);
    EXPECT_EQ(ulid(86'400'000), Confidence::likely);
    EXPECT_EQ(ulid(86'400'001), Confidence::possible);
}

TEST(Inspect, FindsTheLongestTypeId) {
    EXPECT_EQ(findings_of(std::string(63, 'a') + "_01h455vb4pex5vsknk084sn02q").at(0).confidence, Confidence::certain);
    const auto longer = findings_of(std::string(64, 'a') + "_01h455vb4pex5vsknk084sn02q");
    EXPECT_EQ(answer(longer), "ulid:likely@2023-06-30T03:34:18.518Z");
}

TEST(Inspect, FindsSnowflakesOfTheLayoutInOtherBases) {
    auto random = test::seeded_random();
    const Layout layout = layout_of("default");
    for (int i = 0; i < 5000; ++i) {
        const std::int64_t tick = 3'000'000'000 + static_cast<std::int64_t>(random() % 80'000'000'000);
        const std::uint64_t id = layout.compose(tick, random() % 1024, random() % 4096);
        for (const NumberBase base : {NumberBase::base62, NumberBase::base58}) {
            char text[kMaxNumberSize];
            const std::string_view given(text, format_number(base, id, text));
            if (given.size() < 10) continue;
            const auto found = findings_of(given);
            const Finding *finding =
                find(found, base == NumberBase::base62 ? "snowflake in base62" : "snowflake in base58");
            if (given.find_first_not_of("0123456789") == std::string_view::npos) continue;
            ASSERT_NE(finding, nullptr) << given;
            EXPECT_EQ(finding->canonical.view(), std::to_string(id));
        }
    }
}

TEST(PutJson, EscapesWhatHasToBeAndShowsWhatIsNoText) {
    char text[kMaxInspectedJson];
    Writer out(text, sizeof text);
    const std::string given("a\"\\\n\xc3\xa9\xc3\x00\x7f\xe2\x82\xac\xed\xa0\x80", 15);
    put_json(out, given, nullptr, 0);
    EXPECT_EQ(out.view(), R"({"id": "a\"\\\u000a)"
                          "\xc3\xa9"
                          R"(\\xc3\u0000\u007f)"
                          "\xe2\x82\xac"
                          R"(\\xed\\xa0\\x80", "findings": []})");
}

TEST(PutJson, HasRoomForTheLongestAnswer) {
    char text[kMaxInspectedJson];
    for (const std::string &given :
         {std::string(kMaxInspected, '\xff'), std::string(kMaxInspected, '\x01'), std::string("00000000000000000000"),
          std::string(63, 'a') + "_01h455vb4pex5vsknk084sn02q"}) {
        const auto found = findings_of(given,
                                       "epoch=2024-01-01,tick=1ms,time=41,abcdefghijklmno=2,abcdefghijklmnp=2,"
                                       "abcdefghijklmnq=2,abcdefghijklmnr=2,abcdefghijklmns=2,a=2,sequence=10");
        Writer out(text, sizeof text);
        put_json(out, given, found.data(), found.size());
        EXPECT_TRUE(out.view().ends_with("]}")) << given;
    }
}

}  // namespace
}  // namespace snowid::core
