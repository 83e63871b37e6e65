#include "core/id/objectid.hpp"

#include <gtest/gtest.h>

#include "ids.hpp"

namespace snowid::core {
namespace {

using test::seconds;

// The example from MongoDB's manual.
static_assert([] {
    ObjectId id{};
    return parse("507f1f77bcf86cd799439011", id) == Status::ok && id.time() == seconds(1350508407);
}());

TEST(ObjectId, RoundTripsEveryVector) {
    for (const test::Row &row : test::read_vectors("objectid.valid.tsv")) {
        const ObjectId id = test::expect_round_trip<ObjectId>(row);
        EXPECT_EQ(id.time(), seconds(std::stoll(row.at("unix_s"))));
        EXPECT_EQ(test::hex(id.random()), row.at("random_hex"));
        EXPECT_EQ(id.counter(), std::stoll(row.at("counter")));
        ObjectId composed{};
        EXPECT_EQ(compose(id.time(), id.random(), id.counter(), composed), Status::ok);
        EXPECT_EQ(composed, id);
    }
}

TEST(ObjectId, RefusesEveryInvalidVector) { test::expect_all_refused<ObjectId>("objectid.invalid.tsv"); }

TEST(ObjectId, ReadsUpperCase) {
    for (const test::Row &row : test::read_vectors("objectid.lenient.tsv"))
        test::expect_reads<ObjectId>(row.at("input"), row.at("canonical"));
}

TEST(ObjectId, ComposeRefusesPartsThatDoNotFit) {
    ObjectId id{};
    EXPECT_EQ(compose(seconds(-1), {}, 0, id), Status::out_of_range);
    EXPECT_EQ(compose(seconds(1LL << 32), {}, 0, id), Status::out_of_range);
    EXPECT_EQ(compose(seconds(0), {}, -1, id), Status::out_of_range);
    EXPECT_EQ(compose(seconds(0), {}, 0x1000000, id), Status::out_of_range);
    EXPECT_EQ(compose(seconds(0), {}, 0xFFFFFF, id), Status::ok);
}

}  // namespace
}  // namespace snowid::core
