#include "core/layout/layout.hpp"

#include <gtest/gtest.h>

#include "core/layout/layout_text.hpp"
#include "core/text/time_text.hpp"
#include "layout/random_layout.hpp"
#include "random.hpp"
#include "vectors.hpp"

namespace snowid::core {
namespace {

using test::below;
using test::kNow;
using test::layout_of;
using test::up_to;

UnixMicros at(const char *text) {
    UnixMicros micros{};
    EXPECT_TRUE(parse_time(text, micros)) << text;
    return micros;
}

struct Published {
    const char *name;
    std::int64_t epoch_ms;
    std::int64_t tick_us;
    int bits;
    const char *last;            // the time in the last id
    const char *last_generated;  // the last time before ids would be negative
};

constexpr Published kPublished[] = {
    {"default", 1704067200000, 1000, 63, "2093-09-06T15:47:35.551Z", "2093-09-06T15:47:35.551Z"},
    {"twitter", 1288834974657, 1000, 63, "2080-07-10T17:30:30.208Z", "2080-07-10T17:30:30.208Z"},
    {"discord", 1420070400000, 1000, 64, "2154-05-15T07:35:11.103Z", "2084-09-06T15:47:35.551Z"},
    {"instagram", 1314220021721, 1000, 64, "2081-04-30T12:54:37.272Z", "2046-06-27T17:00:49.496Z"},
    {"mastodon", 0, 1000, 64, nullptr, "6429-10-17T02:45:55.327Z"},
    {"sonyflake", 1409529600000, 10'000, 63, "2188-11-16T03:28:58.870Z", "2188-11-16T03:28:58.870Z"},
    {"sonyflake2", 1735689600000, 10'000, 63, "2199-03-19T03:28:58.870Z", "2199-03-19T03:28:58.870Z"},
    {"baidu", 1463673600000, 1'000'000, 63, "2024-11-20T13:24:15Z", "2024-11-20T13:24:15Z"},
    {"wide", 1704067200000, 1000, 63, "2093-09-06T15:47:35.551Z", "2093-09-06T15:47:35.551Z"},
    {"js", 1704067200000, 1000, 53, "2093-09-06T15:47:35.551Z", "2093-09-06T15:47:35.551Z"},
};

TEST(Layout, PresetsHaveThePublishedNumbers) {
    ASSERT_EQ(std::size(kPublished), std::size(kPresets));
    for (const Published &published : kPublished) {
        SCOPED_TRACE(published.name);
        const Layout layout = layout_of(published.name);
        EXPECT_EQ(layout.epoch.value, published.epoch_ms * kMicrosPerMilli);
        EXPECT_EQ(layout.tick_us, published.tick_us);
        EXPECT_EQ(layout.bits(), published.bits);
        EXPECT_EQ(layout.is_unsigned(), published.bits == 64);
        if (published.last != nullptr) {
            EXPECT_EQ(layout.last_time(), at(published.last));
        }
        EXPECT_EQ(layout.time_of_tick(layout.last_generated_tick()), at(published.last_generated));
    }
}

TEST(Layout, PresetsReadThePublishedIds) {
    for (const test::Row &row : test::read_vectors("snowflake.valid.tsv")) {
        SCOPED_TRACE(row.at("layout") + " " + row.at("id"));
        const std::string &name = row.at("layout");
        const Layout layout = layout_of(name == "sonyflake_v1"   ? "sonyflake"
                                        : name == "sonyflake_v2" ? "sonyflake2"
                                                                 : name);
        const std::uint64_t id = std::stoull(row.at("id"));
        ASSERT_TRUE(layout.contains(id));
        EXPECT_EQ(layout.time_of(id).value, std::stoll(row.at("unix_ms")) * kMicrosPerMilli);
        int seen = 0;
        for (const std::string &pair : test::split(row.at("fields"), ';')) {
            const std::size_t equals = pair.find('=');
            const std::string part = pair.substr(0, equals);
            const std::uint64_t value = std::stoull(pair.substr(equals + 1));
            if (part == "node") {
                EXPECT_EQ(layout.worker(id), value);
                continue;
            }
            const std::string field = part == "increment" ? "sequence" : part == "delta_seconds" ? "time" : part;
            for (int i = 0; i < layout.field_count; ++i) {
                if (layout.fields[i].name_view() != field) continue;
                EXPECT_EQ(layout.fields[i].read(id), value) << part;
                seen += i != layout.time_index;
            }
        }
        EXPECT_EQ(seen, layout.field_count - 1) << row.at("fields");
        const auto tick = static_cast<std::int64_t>(layout.time().read(id));
        const auto sequence = static_cast<std::uint32_t>(layout.sequence().read(id));
        EXPECT_EQ(layout.compose(tick, layout.worker(id), sequence), id);
    }
}

TEST(Layout, ComposesThePublishedSonyflakes) {
    const Layout layout = layout_of("sonyflake");
    for (const test::Row &row : test::read_vectors("sonyflake_compose.tsv")) {
        SCOPED_TRACE(row.at("unix_ms") + " " + row.at("result"));
        const UnixMicros time{std::stoll(row.at("unix_ms")) * kMicrosPerMilli};
        const std::uint64_t sequence = std::stoull(row.at("sequence")), machine = std::stoull(row.at("machine"));
        if (row.at("result") == "error:start time is ahead of now") {
            EXPECT_LT(time, layout.epoch);
        } else if (row.at("result") == "error:over the time limit") {
            EXPECT_GT(layout.tick_of(time), layout.last_tick());
        } else if (row.at("result") == "error:invalid sequence number") {
            EXPECT_GT(sequence, layout.sequence().max());
        } else {
            EXPECT_EQ(row.at("result"), "ok");
            EXPECT_EQ(layout.compose(layout.tick_of(time), static_cast<std::uint32_t>(machine),
                                     static_cast<std::uint32_t>(sequence)),
                      std::stoull(row.at("id")));
        }
    }
}

TEST(Layout, ComposesAndReadsLikeTheBitByBitTwin) {
    std::mt19937_64 random = test::seeded_random();
    for (int round = 0; round < 20'000; ++round) {
        const test::RandomLayout made = test::random_layout(random);
        SCOPED_TRACE(made.text());
        const Layout layout = layout_of(made.text());
        std::map<std::string, std::uint64_t> values;
        for (const test::Part &part : made.parts) values[part.name] = up_to(random, (1ULL << part.bits) - 1);
        const std::uint64_t id = test::compose_slowly(made.parts, values);
        const std::uint64_t worker = test::worker_slowly(made.parts, values);

        ASSERT_EQ(layout.compose(static_cast<std::int64_t>(values["time"]), static_cast<std::uint32_t>(worker),
                                 static_cast<std::uint32_t>(values["sequence"])),
                  id);
        ASSERT_EQ(layout.worker(id), worker);
        ASSERT_LE(worker, layout.max_worker());
        ASSERT_EQ(layout.time().read(id), values["time"]);
        ASSERT_EQ(layout.sequence().read(id), values["sequence"]);
        ASSERT_EQ(layout.time_of(id).value,
                  made.epoch.micros + static_cast<std::int64_t>(values["time"]) * made.tick_us);
        for (int i = 0; i < layout.field_count; ++i)
            ASSERT_EQ(layout.fields[i].read(id), values.at(std::string(layout.fields[i].name_view())));

        ASSERT_TRUE(layout.contains(id));
        if (!layout.is_unsigned()) {
            ASSERT_FALSE(layout.contains(
                id | 1ULL << (layout.bits() +
                              static_cast<int>(below(random, static_cast<std::uint64_t>(64 - layout.bits()))))));
        }
    }
}

TEST(Layout, GeneratesEveryNonNegativeIdAndNoNegativeOne) {
    std::mt19937_64 random = test::seeded_random();
    for (int round = 0; round < 5000; ++round) {
        const Layout layout = layout_of(test::random_layout(random).text());
        const std::int64_t last = layout.last_generated_tick();
        const auto sequence = static_cast<std::uint32_t>(layout.sequence().max());
        ASSERT_GE(static_cast<std::int64_t>(layout.compose(last, layout.max_worker(), sequence)), 0);
        if (last < layout.last_tick()) {
            ASSERT_LT(static_cast<std::int64_t>(layout.compose(last + 1, 0, 0)), 0);
        }
    }
}

TEST(Layout, FindsTheTickThatHoldsATime) {
    std::mt19937_64 random = test::seeded_random();
    for (int round = 0; round < 5000; ++round) {
        const Layout layout = layout_of(test::random_layout(random).text());
        const auto tick = static_cast<std::int64_t>(up_to(random, static_cast<std::uint64_t>(layout.last_tick())));
        const std::int64_t start = layout.epoch.value + tick * layout.tick_us;
        const auto inside = static_cast<std::int64_t>(up_to(
            random,
            static_cast<std::uint64_t>(std::min(layout.tick_us - 1, INT64_MAX - std::max<std::int64_t>(start, 0)))));
        ASSERT_EQ(layout.tick_of({start + inside}), tick);
    }
}

TEST(Layout, HasTheSameTimeWhereOnlyTheBitsBelowItDiffer) {
    const Layout layout = layout_of("epoch=2024-01-01,tick=1ms,time=41,worker=10,sequence=12");
    EXPECT_TRUE(layout.same_time_as(layout));
    EXPECT_TRUE(layout.same_time_as(layout_of("epoch=2024-01-01,tick=1ms,time=41,dc=5,sequence=10,node=7")));
    EXPECT_FALSE(layout.same_time_as(layout_of("epoch=2024-01-02,tick=1ms,time=41,worker=10,sequence=12")));
    EXPECT_FALSE(layout.same_time_as(layout_of("epoch=2024-01-01,tick=2ms,time=41,worker=10,sequence=12")));
    EXPECT_FALSE(layout.same_time_as(layout_of("epoch=2024-01-01,tick=1ms,time=40,worker=10,sequence=12")));
    EXPECT_FALSE(layout.same_time_as(layout_of("epoch=2024-01-01,tick=1ms,time=41,worker=10,sequence=11")));
}

}  // namespace
}  // namespace snowid::core
