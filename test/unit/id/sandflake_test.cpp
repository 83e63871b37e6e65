#include "core/id/sandflake.hpp"

#include <gtest/gtest.h>

#include "ids.hpp"
#include "random.hpp"

namespace snowid::core {
namespace {

using test::ms;

TEST(Sandflake, RoundTripsEveryVector) {
    for (const test::Row &row : test::read_vectors("sandflake.valid.tsv")) {
        const Sandflake id = test::expect_round_trip<Sandflake>(row);
        EXPECT_EQ(id.time(), ms(std::stoll(row.at("unix_ms"))));
        EXPECT_EQ(test::hex(id.worker()), row.at("worker_hex"));
        EXPECT_EQ(id.sequence(), std::stoll(row.at("sequence")));
        EXPECT_EQ(test::hex(id.random()), row.at("random_hex"));
        Sandflake composed{};
        EXPECT_EQ(compose(id.time(), id.worker(), id.sequence(), id.random(), composed), Status::ok);
        EXPECT_EQ(composed, id);
    }
}

TEST(Sandflake, RefusesEveryInvalidVector) { test::expect_all_refused<Sandflake>("sandflake.invalid.tsv"); }

TEST(Sandflake, ComposeRefusesPartsThatDoNotFit) {
    Sandflake id{};
    EXPECT_EQ(compose(ms(-1), {}, 0, {}, id), Status::out_of_range);
    EXPECT_EQ(compose(ms(1LL << 48), {}, 0, {}, id), Status::out_of_range);
    EXPECT_EQ(compose(ms(0), {}, -1, {}, id), Status::out_of_range);
    EXPECT_EQ(compose(ms(0), {}, 0x1000000, {}, id), Status::out_of_range);
    EXPECT_EQ(compose(ms(0), {}, 0xFFFFFF, {}, id), Status::ok);
}

TEST(Sandflake, AscendsWithThePositionsOfOneWorker) {
    auto random = test::seeded_random();
    const auto worker = test::random_bytes<Sandflake::kWorkerSize>(random);
    for (int i = 0; i < 1000; ++i) {
        const std::uint64_t position = random() % (Uuid7Ticks::kEnd - 1);
        Sandflake id{}, next{};
        ASSERT_EQ(from_position(position, worker, test::random_bytes<3>(random), id), Status::ok);
        ASSERT_EQ(from_position(position + 1, worker, test::random_bytes<3>(random), next), Status::ok);
        EXPECT_LT(id, next);
        EXPECT_EQ(id.worker(), worker);
        EXPECT_EQ(id.sequence(), static_cast<std::int64_t>(position & 0xFFF));
    }
}

}  // namespace
}  // namespace snowid::core
