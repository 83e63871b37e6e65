#include "core/timeline/floor.hpp"

#include <gtest/gtest.h>

#include <string>

#include "layout/random_layout.hpp"
#include "random.hpp"

namespace snowid::core {
namespace {

constexpr std::int64_t kNow = 1'767'225'600'000'000'000;

Floor random_floor(std::mt19937_64 &random) {
    const auto any = [&](std::uint64_t end) { return static_cast<std::int64_t>(test::below(random, end)); };
    const auto word = [&] { return static_cast<std::int64_t>(random()); };
    const UsedUp own{{any(INT64_MAX)}, any(SnoUnits::kEnd), test::below(random, 1'000'000'000'000'000'001)};
    return {own,
            {any(INT64_MAX)},
            {any(INT64_MAX)},
            static_cast<std::uint32_t>(random()),
            word(),
            any(2),
            word(),
            word(),
            word(),
            word(),
            word()};
}

// The server's own ids, and how far named generators have come.
Floor floor_of(const UsedUp &own, std::int64_t named, std::int64_t others = 0) {
    Floor floor{};
    floor.own = own;
    floor.named = {named};
    floor.others = {others};
    floor.number = 1;
    floor.layout = 3;
    return floor;
}

TEST(Floor, ItsTextHasOneLengthAndComesBack) {
    std::mt19937_64 random = test::seeded_random();
    const std::size_t size = text_of(Floor{}).size;
    for (int round = 0; round < 10'000; ++round) {
        const Floor floor = random_floor(random);
        const FloorText text = text_of(floor);
        ASSERT_EQ(text.size, size);
        Floor read{};
        ASSERT_TRUE(parse_floor(text.view(), read)) << text.view();
        ASSERT_EQ(read, floor) << text.view();
    }
    Floor floor = floor_of({{kNow}, 12, 3}, kNow + 1, kNow + 2);
    floor.history = -2;
    EXPECT_EQ(
        text_of(floor).view(),
        "1 own 01767225600000000000 safe 00000000000000000012 toggles 00000000000000000003 named "
        "01767225600000000001 others 01767225600000000002 number 00000000000000000001 layout 00000000000000000003 "
        "whole 00000000000000000000 lost 00000000000000000000 boot 00000000000000000000 clock "
        "00000000000000000000 server 00000000000000000000 history 18446744073709551614");
}

TEST(Floor, ATextThatIsNotOneIsRefused) {
    const std::string good(text_of(floor_of({{kNow}, 12, 3}, kNow)).view());
    Floor read{};
    ASSERT_TRUE(parse_floor(good, read));
    for (std::size_t size = 0; size < good.size(); ++size)
        EXPECT_FALSE(parse_floor(std::string_view(good).substr(0, size), read)) << size;
    EXPECT_FALSE(parse_floor(good + "0", read));
    EXPECT_FALSE(parse_floor("2" + good.substr(1), read)) << "another version";
    for (std::size_t i = 0; i < good.size(); ++i) {
        std::string bad = good;
        bad[i] = bad[i] == 'x' ? 'y' : 'x';
        EXPECT_FALSE(parse_floor(bad, read)) << bad;
    }
    const auto with = [&](std::string_view field, std::string_view digits) {
        std::string text = good;
        return text.replace(text.find(field) + field.size() + 1, digits.size(), digits);
    };
    EXPECT_TRUE(parse_floor(with("named", "09223372036854775807"), read));
    EXPECT_FALSE(parse_floor(with("named", "09223372036854775808"), read));
    EXPECT_FALSE(parse_floor(with("number", "00000000004294967296"), read));
}

TEST(Floor, ANumberBeginsAboveAllThatNamedGeneratorsHaveMade) {
    Floor floor = floor_of({{kNow}, 0, 0}, kNow + 7, kNow + 9);
    floor.begin_number(1, 3);
    EXPECT_EQ(floor.own.horizon.value, kNow) << "the server had the number before";
    floor.begin_number(5, 3);
    EXPECT_EQ(floor.own.horizon.value, kNow + 7);
    EXPECT_EQ(floor.number, 5U);

    Floor behind = floor_of({{kNow}, 0, 0}, kNow - 7);
    behind.begin_number(5, 3);
    EXPECT_EQ(behind.own.horizon.value, kNow);
}

TEST(Floor, ALayoutBeginsAboveThemWhateverTheirTicks) {
    Floor floor = floor_of({{kNow}, 0, 0}, kNow + 7, kNow + 9);
    floor.begin_number(1, 4);
    EXPECT_EQ(floor.own.horizon.value, kNow + 9);
    EXPECT_EQ(floor.named.value, kNow + 9);
    EXPECT_EQ(floor.others.value, kNow + 9);
}

TEST(Floor, ANumberOfSnosBeginsAboveThemWithEitherBit) {
    const std::int64_t safe = SnoUnits::first_after({kNow}) - 1;
    Floor floor = floor_of({{kNow}, safe, 4}, kNow + millis(40));
    floor.begin_number(5, 3);
    EXPECT_EQ(floor.own.toggles, 4U);
    EXPECT_GE(floor.own.horizon.value, kNow + millis(40));
    EXPECT_GE(SnoUnits::start(floor.own.safe + 1).value, kNow + millis(40));
}

TEST(Floor, ARewindLowersAllOfItAndRaisesNothing) {
    Floor floor = floor_of({{kNow}, SnoUnits::first_after({kNow}), 4}, kNow + 7);
    floor.rewind({kNow - millis(1000)});
    EXPECT_EQ(floor.own.horizon.value, kNow - millis(1000));
    EXPECT_EQ(floor.named.value, kNow - millis(1000));
    EXPECT_LE(SnoUnits::start(floor.own.safe).value, kNow - millis(1000));
    const Floor before = floor;
    floor.rewind({kNow});
    EXPECT_EQ(floor, before);
    floor.rewind({-1});
    EXPECT_EQ(floor.named.value, 0) << "its text has no sign";
}

}  // namespace
}  // namespace snowid::core
