#include "core/inspect/column.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "core/text/time_text.hpp"
#include "layout/random_layout.hpp"
#include "random.hpp"
#include "vectors.hpp"

namespace snowid::core {
namespace {

using test::layout_of;

UnixMicros when(const char *text) {
    UnixMicros t{};
    EXPECT_TRUE(parse_time(text, t)) << text;
    return t;
}

const UnixMicros kNow = when("2026-11-22");

InspectContext context() { return {layout_of("default"), kNow}; }

std::string first_of(const std::vector<std::string> &ids, const InspectContext &of = context()) {
    ColumnFinding found[kMaxColumnFindings];
    Column column(of);
    for (const std::string &id : ids) column.add(id);
    return column.findings(found) == 0 ? "nothing" : std::string(found[0].format.view());
}

std::string first_of(const char *id, const InspectContext &of) {
    Finding found[kMaxFindings];
    return inspect(id, of, found) == 0 ? "nothing" : std::string(found[0].format.view());
}

// No real id is taken for one of the future or surely for one of another system.
TEST(RealIds, AreWhatTheyAreOrOneOf) {
    int right = 0, all = 0;
    for (const test::Row &row : test::read_vectors("inspect.real.tsv")) {
        Finding found[kMaxFindings];
        ASSERT_GT(inspect(row.at("id"), context(), found), 0U);
        const std::string first(found[0].format.view()), wanted = "snowflake/" + row.at("layout");
        const bool is_list = first.starts_with("one of ") && first.find(wanted) != first.npos;
        EXPECT_TRUE(first == wanted || is_list) << row.at("id") << " of " << wanted << ": " << first;
        EXPECT_FALSE(found[0].time && *found[0].time > kNow);
        right += first == wanted;
        ++all;
    }
    EXPECT_GE(all, 47);
    EXPECT_GE(right * 35, 12 * all) << right << " of " << all;
}

TEST(Column, OfRealIdsIsWhatItIs) {
    for (const char *layout : {"twitter", "discord", "instagram", "mastodon"}) {
        std::vector<std::string> ids;
        for (const test::Row &row : test::read_vectors("inspect.real.tsv"))
            if (row.at("layout") == layout) ids.push_back(row.at("id"));
        EXPECT_EQ(first_of(ids), std::string("snowflake/") + layout);
    }
}

// Columns of 100 ids that the systems' generators would make in a year.
TEST(Column, OfEachSystemIsWhatItIs) {
    auto random = test::seeded_random();
    struct System {
        const char *preset;
        const char *from;
        std::function<std::uint64_t()> low;
    };
    const auto machine = random() & 0xFFFF;
    const auto below = [&](std::uint64_t n) { return random() % n; };
    const System systems[] = {
        {"twitter", "2018-01-01", [&] { return (320 + below(64)) << 12 | (below(4) == 0 ? below(8) : 0); }},
        {"discord", "2018-01-01", [&] { return below(3) << 17 | (below(9) == 0 ? below(8) << 12 : 0) | below(3); }},
        {"instagram", "2019-01-01", [&] { return below(1 << 23); }},
        {"mastodon", "2019-01-01", [&] { return below(1 << 16); }},
        {"sonyflake", "2017-01-01", [&] { return below(8) == 0 ? 1 << 16 | machine : machine; }},
        {"sonyflake2", "2025-11-20", [&] { return below(8) == 0 ? 1 << 16 | machine : machine; }},
    };
    for (int round = 0; round < 20; ++round)
        for (const System &system : systems) {
            const Layout layout = layout_of(system.preset);
            std::vector<std::string> ids;
            const UnixMicros from = when(system.from);
            for (int i = 0; i < 100; ++i) {
                const UnixMicros t{from.value + static_cast<std::int64_t>(below(365 * kMicrosPerDay))};
                const auto tick = static_cast<std::uint64_t>(layout.tick_of(t));
                ids.push_back(std::to_string(layout.time().place(tick) | system.low()));
            }
            EXPECT_EQ(first_of(ids), std::string("snowflake/") + system.preset);
        }
}

TEST(Column, SaysWhatItCannotTell) {
    std::vector<std::string> ids;
    for (int i = 0; i < 100; ++i) ids.push_back(std::to_string(1'600'000'000'000'000'123 + i * 12'345'678'901LL));
    EXPECT_EQ(first_of(ids), "one of unix-time, snowflake/instagram, or another layout");
    EXPECT_EQ(first_of({"42", "43", "4006381333931"}), "number");
    EXPECT_EQ(first_of({"01ARZ3NDEKTSV4RRFFQ69G5FAV", "01BX5ZZKBKACTAV9WEVGEMMVRZ", "42"}), "ulid");
    EXPECT_EQ(first_of({"", "x"}), "nothing");
}

TEST(Ranking, KnownWorkersAndAChosenLayoutLead) {
    const char *id = "175928847299117063";  // by default of the worker 32
    InspectContext of = context();
    EXPECT_EQ(first_of(id, of), "one of snowflake/discord, snowflake/twitter");
    of.first_worker = 32;
    of.workers = 1;
    EXPECT_EQ(first_of(id, of), "snowflake");
    EXPECT_EQ(first_of(std::vector<std::string>{id, id}, of), "snowflake");
    of.first_worker = 33;
    EXPECT_EQ(first_of(id, of), "one of snowflake/discord, snowflake/twitter");
    of.workers = 0;
    of.own_leads = true;
    EXPECT_EQ(first_of(id, of), "snowflake");
    EXPECT_EQ(first_of("1541815603606036480", of), "snowflake/twitter");  // it would be of 2035
}

}  // namespace
}  // namespace snowid::core
