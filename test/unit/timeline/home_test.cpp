// Where a server's data are.
#include "core/timeline/history.hpp"

#include <gtest/gtest.h>

namespace snowid::core {
namespace {

TEST(Home, IsTheSameWhileNeitherTheDirectoryNorTheMachineIsAnother) {
    const Home home = Home::of(7, 9);
    EXPECT_TRUE(can_be_same(home, Home::of(7, 9)));
    EXPECT_FALSE(can_be_same(home, Home::of(7, 10))) << "a copied machine";
    EXPECT_FALSE(can_be_same(home, Home::of(12, 9))) << "a copied directory";
    EXPECT_FALSE(can_be_same(Home::of(7, 0), Home::of(12, 0)));
}

TEST(Home, IsTheSameOfAMachineThatGetsOrLosesItsId) {
    EXPECT_TRUE(can_be_same(Home::of(7, 0), Home::of(7, 9)));
    EXPECT_TRUE(can_be_same(Home::of(7, 9), Home::of(7, 0)));
}

TEST(Home, IsNeverUnknown) { EXPECT_NE(Home::of(0, 0).word, 0); }

}  // namespace
}  // namespace snowid::core
