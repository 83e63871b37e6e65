#include "core/id/rsxid.hpp"

#include <gtest/gtest.h>

#include "ids.hpp"

namespace snowid::core {
namespace {

using test::seconds;

// The example from rs/xid's README.
static_assert([] {
    Rsxid id{};
    return parse("9m4e2mr0ui3e8a215n4g", id) == Status::ok && id.time() == seconds(1300816219) && id.pid() == 0xE428 &&
           id.counter() == 4271561;
}());

TEST(Rsxid, RoundTripsEveryVector) {
    for (const test::Row &row : test::read_vectors("xid.valid.tsv")) {
        const Rsxid id = test::expect_round_trip<Rsxid>(row);
        EXPECT_EQ(id.time(), seconds(std::stoll(row.at("unix_s"))));
        EXPECT_EQ(test::hex(id.machine()), row.at("machine_hex"));
        EXPECT_EQ(id.pid(), std::stoll(row.at("pid")));
        EXPECT_EQ(id.counter(), std::stoll(row.at("counter")));
        Rsxid composed{};
        EXPECT_EQ(compose(id.time(), id.machine(), id.pid(), id.counter(), composed), Status::ok);
        EXPECT_EQ(composed, id);
    }
}

TEST(Rsxid, RefusesEveryInvalidVector) { test::expect_all_refused<Rsxid>("xid.invalid.tsv"); }

TEST(Rsxid, ComposeRefusesPartsThatDoNotFit) {
    Rsxid id{};
    EXPECT_EQ(compose(seconds(-1), {}, 0, 0, id), Status::out_of_range);
    EXPECT_EQ(compose(seconds(1LL << 32), {}, 0, 0, id), Status::out_of_range);
    EXPECT_EQ(compose(seconds(0), {}, -1, 0, id), Status::out_of_range);
    EXPECT_EQ(compose(seconds(0), {}, 0x10000, 0, id), Status::out_of_range);
    EXPECT_EQ(compose(seconds(0), {}, 0, -1, id), Status::out_of_range);
    EXPECT_EQ(compose(seconds(0), {}, 0, 0x1000000, id), Status::out_of_range);
    EXPECT_EQ(compose(seconds(0), {}, 0xFFFF, 0xFFFFFF, id), Status::ok);
}

}  // namespace
}  // namespace snowid::core
