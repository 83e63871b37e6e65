#include "core/inspect/bounds.hpp"

#include <gtest/gtest.h>

#include "core/inspect/inspect.hpp"
#include "layout/random_layout.hpp"
#include "random.hpp"

namespace snowid::core {
namespace {

constexpr UnixMicros k2024{1'704'067'200'000'000};

UnixMicros time_of(std::string_view id, std::string_view format, const Layout &layout) {
    Finding found[kMaxFindings];
    const std::size_t count = inspect(id, {layout, {1'900'000'000'000'000}}, found);
    for (std::size_t i = 0; i < count; ++i)
        if (found[i].format.view() == (format == "uuidv7" ? "uuid v7" : format))
            return found[i].time.value_or(UnixMicros{});
    ADD_FAILURE() << id << " is no " << format;
    return {};
}

Bounds bounds_of(std::string_view format, const Layout &layout, UnixMicros from, UnixMicros until) {
    Bounds bounds;
    EXPECT_EQ(find_bounds(format, layout, from, until, bounds), BoundFault::none) << format;
    return bounds;
}

TEST(Bounds, AreOfTheTimesAskedFor) {
    auto random = test::seeded_random();
    for (int i = 0; i < 2000; ++i) {
        const Layout layout = test::layout_of(i % 2 == 0 ? "default" : "sonyflake");
        const UnixMicros from{k2024.value + static_cast<std::int64_t>(random() % 60'000'000'000'000)};
        const UnixMicros until{from.value + 10'000'000 + static_cast<std::int64_t>(random() % 1'000'000'000)};
        for (const std::string_view format : kBoundFormats) {
            const Bounds bounds = bounds_of(format, layout, from, until);
            const UnixMicros first = time_of(bounds.first.view(), format, layout);
            const UnixMicros last = time_of(bounds.last.view(), format, layout);
            EXPECT_GE(first, from) << format;
            EXPECT_LT(first.value, from.value + 1'000'000) << format;
            EXPECT_LT(last, until) << format;
            EXPECT_GT(last.value, until.value - 1'000'001) << format;
            EXPECT_EQ(bounds.first.view(), bounds_of(format, layout, from, kAfterAll).first.view());
        }
    }
}

TEST(Bounds, AreThoseOfKnownIds) {
    const Layout layout = test::layout_of("default");
    const UnixMicros next{k2024.value + 1000};
    EXPECT_EQ(bounds_of("ulid", layout, k2024, next).last.view(), "01HK153X00ZZZZZZZZZZZZZZZZ");
    EXPECT_EQ(bounds_of("uuidv7", layout, k2024, next).first.view(), "018cc251-f400-7000-8000-000000000000");
    EXPECT_EQ(bounds_of("uuidv7", layout, k2024, next).last.view(), "018cc251-f400-7fff-bfff-ffffffffffff");
    EXPECT_EQ(bounds_of("snowflake", layout, k2024, next).first.view(), "0");
    EXPECT_EQ(bounds_of("snowflake", layout, k2024, next).last.view(), "4194303");
}

TEST(Bounds, AreNotWhereThereAreNoIds) {
    Bounds bounds;
    const Layout layout = test::layout_of("default");
    EXPECT_EQ(find_bounds("sno", layout, {k2024.value + 1}, {k2024.value + 2}, bounds), BoundFault::no_ids);
    EXPECT_EQ(find_bounds("snowflake", layout, {0}, {1}, bounds), BoundFault::no_ids);
    EXPECT_EQ(find_bounds("ulid", layout, k2024, k2024, bounds), BoundFault::no_ids);
    EXPECT_EQ(find_bounds("ksuid", layout, {INT64_MAX / 2}, kAfterAll, bounds), BoundFault::no_ids);
    EXPECT_EQ(find_bounds("nanoid", layout, k2024, kAfterAll, bounds), BoundFault::unknown_format);
    EXPECT_EQ(find_bounds("", layout, k2024, kAfterAll, bounds), BoundFault::unknown_format);
}

}  // namespace
}  // namespace snowid::core
