#include "core/layout/layout_text.hpp"

#include <gtest/gtest.h>

#include "layout/random_layout.hpp"
#include "random.hpp"

namespace snowid::core {
namespace {

using test::kNow;
using test::layout_of;
using test::text_of;

TEST(LayoutText, FormatsAPresetAsItsText) {
    for (const Preset &preset : kPresets) {
        EXPECT_EQ(text_of(layout_of(std::string(preset.name))), preset.text);
        EXPECT_EQ(layout_of(std::string(preset.text)), layout_of(std::string(preset.name)));
    }
}

TEST(LayoutText, FormatsARandomLayoutAsItsText) {
    std::mt19937_64 random = test::seeded_random();
    for (int round = 0; round < 20'000; ++round) {
        const test::RandomLayout made = test::random_layout(random);
        const Layout layout = layout_of(made.text());
        ASSERT_EQ(text_of(layout), made.text());
        ASSERT_EQ(layout.epoch.value, made.epoch.micros) << made.text();
        ASSERT_EQ(layout.tick_us, made.tick_us) << made.text();
        ASSERT_EQ(static_cast<std::size_t>(layout.field_count), made.parts.size());
    }
}

TEST(LayoutText, TheLongestTextFits) {
    std::string text = "epoch=1999-12-31T23:59:59.999999Z,tick=3599999999us,time=20,sequence=31";
    for (const char letter : {'a', 'b', 'c', 'd', 'e'}) text += "," + std::string(Field::kMaxName, letter) + "=2";
    text += "," + std::string(Field::kMaxName, 'f') + "=1";
    EXPECT_EQ(text_of(layout_of(text)), text);
    EXPECT_LE(text.size(), kMaxLayoutText);
}

TEST(LayoutText, ReadsTextThatIsNotCanonical) {
    const Layout layout = layout_of("default");
    EXPECT_EQ(layout_of("  default "), layout);
    EXPECT_EQ(layout_of(" tick = 1000us , time = 41 ,worker=10, epoch=2024-01-01 00:00, sequence=012 "), layout);
    EXPECT_FALSE(layout_of("wide") == layout);
    EXPECT_FALSE(layout_of("epoch=2024-01-01,tick=1ms,time=41,node=10,sequence=12") == layout);
}

struct Fault {
    const char *text;
    LayoutFault fault;
    const char *where;
};

#define HEAD "epoch=2024-01-01,tick=1ms,"

constexpr Fault kFaults[] = {
    {"", LayoutFault::unknown_preset, ""},
    {"snow", LayoutFault::unknown_preset, "snow"},
    {"Default", LayoutFault::unknown_preset, "Default"},
    {"default,time", LayoutFault::unknown_preset, "default,time"},
    {HEAD "time=41,sequence", LayoutFault::not_a_pair, "sequence"},
    {HEAD "time=41,,sequence=12", LayoutFault::not_a_pair, ""},
    {HEAD "time=41,sequence=12,", LayoutFault::not_a_pair, ""},
    {"," HEAD "time=41,sequence=12", LayoutFault::not_a_pair, ""},
    {HEAD "time=41,sequence=12,Node=3", LayoutFault::bad_name, "Node"},
    {HEAD "time=41,sequence=12,2nd=3", LayoutFault::bad_name, "2nd"},
    {HEAD "time=41,sequence=12,a-b=3", LayoutFault::bad_name, "a-b"},
    {HEAD "time=41,sequence=12,=3", LayoutFault::bad_name, ""},
    {HEAD "time=41,sequence=12,abcdefghijklmnop=3", LayoutFault::bad_name, "abcdefghijklmnop"},
    {HEAD "time=41,time=2,sequence=12", LayoutFault::repeated, "time"},
    {HEAD "time=41,sequence=12,node=3,node=3", LayoutFault::repeated, "node"},
    {HEAD "epoch=2024-01-01,time=41,sequence=12", LayoutFault::repeated, "epoch"},
    {HEAD "tick=1ms,time=41,sequence=12", LayoutFault::repeated, "tick"},
    {"tick=1ms,time=41,sequence=12", LayoutFault::missing, "epoch"},
    {"epoch=2024-01-01,time=41,sequence=12", LayoutFault::missing, "tick"},
    {HEAD "worker=10,sequence=12", LayoutFault::missing, "time"},
    {HEAD "time=41,worker=10", LayoutFault::missing, "sequence"},
    {HEAD "time=9,a=1,b=1,c=1,d=1,e=1,f=1,g=1,sequence=1", LayoutFault::too_many_fields, "sequence"},
    {"epoch=,tick=1ms,time=41,sequence=12", LayoutFault::bad_epoch, ""},
    {"epoch=2023-02-29,tick=1ms,time=41,sequence=12", LayoutFault::bad_epoch, "2023-02-29"},
    {"epoch=1899-12-31T23:59:59.999999Z,tick=1ms,time=41,sequence=12", LayoutFault::early_epoch,
     "1899-12-31T23:59:59.999999Z"},
    {"epoch=2026-01-01T00:00:00.000001,tick=1ms,time=41,sequence=12", LayoutFault::future_epoch,
     "2026-01-01T00:00:00.000001"},
    {"epoch=2024-01-01,tick=0ms,time=41,sequence=12", LayoutFault::bad_tick, "0ms"},
    {"epoch=2024-01-01,tick=ms,time=41,sequence=12", LayoutFault::bad_tick, "ms"},
    {"epoch=2024-01-01,tick=1,time=41,sequence=12", LayoutFault::bad_tick, "1"},
    {"epoch=2024-01-01,tick=-1ms,time=41,sequence=12", LayoutFault::bad_tick, "-1ms"},
    {"epoch=2024-01-01,tick=1.5ms,time=41,sequence=12", LayoutFault::bad_tick, "1.5ms"},
    {"epoch=2024-01-01,tick=3601s,time=41,sequence=12", LayoutFault::bad_tick, "3601s"},
    {"epoch=2024-01-01,tick=18446744073709551617us,time=41,sequence=12", LayoutFault::bad_tick,
     "18446744073709551617us"},
    {HEAD "time=0,sequence=12", LayoutFault::bad_bits, "0"},
    {HEAD "time=64,sequence=12", LayoutFault::bad_bits, "64"},
    {HEAD "time=+41,sequence=12", LayoutFault::bad_bits, "+41"},
    {HEAD "time=,sequence=12", LayoutFault::bad_bits, ""},
    {HEAD "time=41,worker=12,sequence=12", LayoutFault::too_many_bits, ""},
    {HEAD "time=63,a=63,b=63,c=63,d=63,e=63,f=63,sequence=63", LayoutFault::too_many_bits, ""},
    {HEAD "time=31,sequence=32", LayoutFault::wide_sequence, ""},
    {HEAD "time=31,a=16,b=16,sequence=1", LayoutFault::wide_worker, ""},
    {HEAD "worker=10,time=41,sequence=12", LayoutFault::time_not_first, "worker"},
    {HEAD "time=63,sequence=1", LayoutFault::ends_too_late, ""},
    {"epoch=2024-01-01,tick=1us,time=63,sequence=1", LayoutFault::ends_too_late, ""},
    {"epoch=1970-01-01,tick=1us,time=63,sequence=1", LayoutFault::ends_too_late, ""},
};

TEST(LayoutText, ReportsEveryFaultAndWhereItIs) {
    bool seen[static_cast<int>(LayoutFault::ends_too_late) + 1] = {true};
    for (const Fault &fault : kFaults) {
        SCOPED_TRACE(fault.text);
        Layout layout{};
        const LayoutError error = parse_new_layout(fault.text, kNow, layout);
        EXPECT_EQ(static_cast<int>(error.fault), static_cast<int>(fault.fault));
        EXPECT_EQ(error.where, fault.where);
        seen[static_cast<int>(fault.fault)] = true;
    }
    for (std::size_t i = 0; i < std::size(seen); ++i) EXPECT_TRUE(seen[i]) << "no test provokes fault " << i;
}

TEST(LayoutText, AcceptsTheLargestAndSmallestValues) {
    for (const char *text : {
             "epoch=1900-01-01,tick=1us,time=63,sequence=1",  // ends in 294246
             "epoch=1969-12-31,tick=1us,time=63,sequence=1",  // ends a day before the end of UnixMicros
             "epoch=2026-01-01,tick=3600s,time=1,sequence=1",
             "epoch=2024-01-01,tick=1ms,time=33,sequence=31",
             "epoch=2024-01-01,tick=1ms,time=32,a=15,sequence=1,b=16",
             "epoch=2024-01-01,tick=1ms,time=9,a=1,b=1,c=1,d=1,e=1,f=1,sequence=1",
             "epoch=2024-01-01,tick=1ms,time=41,sequence=12,abcdefghijklmno=3",
         })
        EXPECT_EQ(text_of(layout_of(text)), text);
}

TEST(LayoutText, AcceptsAnEpochInTheFutureForALayoutInUse) {
    const char *text = "epoch=2199-01-01,tick=1ms,time=41,sequence=12";
    Layout layout{};
    EXPECT_EQ(parse_new_layout(text, kNow, layout).fault, LayoutFault::future_epoch);
    EXPECT_EQ(parse_new_layout("default", UnixMicros{0}, layout).fault, LayoutFault::future_epoch);
    EXPECT_EQ(text_of(layout_of(text)), text);
}

std::uint32_t worker_of(const char *text, const Layout &layout) {
    std::uint32_t worker = 0xdead;
    const LayoutError error = parse_worker(text, layout, worker);
    EXPECT_EQ(error.fault, LayoutFault::none) << text << " at " << error.where;
    return worker;
}

TEST(ParseWorker, ReadsANumberOrNamedFields) {
    const Layout layout = layout_of(HEAD "time=41,region=3,dc=3,sequence=12,node=4");
    EXPECT_EQ(worker_of("0", layout), 0u);
    EXPECT_EQ(worker_of(" 1023 ", layout), 1023u);
    EXPECT_EQ(worker_of("region=1,dc=2,node=4", layout), 1u << 7 | 2u << 4 | 4u);
    EXPECT_EQ(worker_of(" node = 4 , region = 1 ,dc=2 ", layout), 1u << 7 | 2u << 4 | 4u);
    EXPECT_EQ(worker_of("region=7,dc=7,node=15", layout), 1023u);
    EXPECT_EQ(worker_of("0", layout_of("mastodon")), 0u);
}

TEST(ParseWorker, ReportsEveryFaultAndWhereItIs) {
    const Layout layout = layout_of(HEAD "time=41,region=3,dc=3,sequence=12,node=4");
    const struct {
        const char *text;
        LayoutFault fault;
        const char *where;
        std::uint64_t max;
    } cases[] = {
        {"", LayoutFault::not_a_number, "", 0},
        {"one", LayoutFault::not_a_number, "one", 0},
        {"-1", LayoutFault::not_a_number, "-1", 0},
        {"1,2", LayoutFault::not_a_number, "1,2", 0},
        {"region=1,dc=x,node=4", LayoutFault::not_a_number, "x", 0},
        {"region=1,dc=,node=4", LayoutFault::not_a_number, "", 0},
        {"region=1,2,node=4", LayoutFault::not_a_number, "2", 0},
        {"region=1,dc=2,node=4,", LayoutFault::not_a_number, "", 0},
        {"region=1,rack=2,node=4", LayoutFault::unknown_field, "rack", 0},
        {"region=1,sequence=2,node=4", LayoutFault::unknown_field, "sequence", 0},
        {"time=1,dc=2,node=4", LayoutFault::unknown_field, "time", 0},
        {"region=1,dc=2,dc=2,node=4", LayoutFault::repeated, "dc", 0},
        {"region=1,node=4", LayoutFault::missing, "dc", 0},
        {"1024", LayoutFault::out_of_range, "worker", 1023},
        {"region=8,dc=2,node=4", LayoutFault::out_of_range, "region", 7},
        {"region=1,dc=2,node=16", LayoutFault::out_of_range, "node", 15},
    };
    bool seen[static_cast<int>(LayoutFault::out_of_range) + 1] = {};
    for (const auto &c : cases) {
        SCOPED_TRACE(c.text);
        std::uint32_t worker = 0;
        const LayoutError error = parse_worker(c.text, layout, worker);
        EXPECT_EQ(static_cast<int>(error.fault), static_cast<int>(c.fault));
        EXPECT_EQ(error.where, c.where);
        EXPECT_EQ(error.max, c.max);
        seen[static_cast<int>(c.fault)] = true;
    }
    for (const LayoutFault fault : {LayoutFault::repeated, LayoutFault::missing, LayoutFault::not_a_number,
                                    LayoutFault::unknown_field, LayoutFault::out_of_range})
        EXPECT_TRUE(seen[static_cast<int>(fault)]) << "no test provokes fault " << static_cast<int>(fault);
}

TEST(ParseWorker, ReadsFieldsAndNumberAsTheSameWorkerInRandomLayouts) {
    std::mt19937_64 random = test::seeded_random();
    for (int round = 0; round < 5000; ++round) {
        const test::RandomLayout made = test::random_layout(random);
        const Layout layout = layout_of(made.text());
        std::map<std::string, std::uint64_t> values;
        std::string text;
        for (const test::Part &part : made.parts) {
            if (part.name == "time" || part.name == "sequence") continue;
            values[part.name] = test::up_to(random, (1ULL << part.bits) - 1);
            text += (text.empty() ? "" : ",") + part.name + "=" + std::to_string(values[part.name]);
        }
        if (text.empty()) continue;
        const std::uint64_t worker = test::worker_slowly(made.parts, values);
        ASSERT_EQ(worker_of(text.c_str(), layout), worker) << text << " in " << made.text();
        ASSERT_EQ(worker_of(std::to_string(worker).c_str(), layout), worker) << made.text();
    }
}

}  // namespace
}  // namespace snowid::core
