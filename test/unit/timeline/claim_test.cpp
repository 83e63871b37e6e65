#include "core/timeline/claim.hpp"

#include <gtest/gtest.h>

#include <set>

#include "layout/random_layout.hpp"
#include "random.hpp"

namespace snowid::core {
namespace {

using test::layout_of;

// All ids of the claim in tick 0.
std::set<std::uint64_t> ids_of(const Claim &claim) {
    std::set<std::uint64_t> ids;
    for (std::uint64_t n = claim.sequences.min; n <= claim.sequences.max; ++n)
        ids.insert(claim.fixed | n << claim.shift);
    return ids;
}

bool meet(const std::set<std::uint64_t> &a, const std::set<std::uint64_t> &b) {
    return std::any_of(a.begin(), a.end(), [&](std::uint64_t id) { return b.contains(id); });
}

// A claim in eight bits: a sequence at any place, and a worker in the other bits.
Claim random_claim(std::mt19937_64 &random) {
    const int shift = static_cast<int>(test::below(random, 8)), bits = static_cast<int>(test::up_to(random, 8 - shift));
    Claim claim{0, shift, bits, {}};
    claim.fixed = random() & 0xff & ~claim.mask();
    claim.sequences.min = test::below(random, 1ULL << bits);
    claim.sequences.max = claim.sequences.min + test::below(random, (1ULL << bits) - claim.sequences.min);
    return claim;
}

TEST(Claim, OverlapsIfAndOnlyIfBothHaveACommonId) {
    std::mt19937_64 random = test::seeded_random();
    int overlapping = 0;
    for (int round = 0; round < 200'000; ++round) {
        const Claim a = random_claim(random);
        Claim b = random_claim(random);
        if (round % 2 == 0) b.fixed = a.fixed & ~b.mask();
        ASSERT_EQ(overlap(a, b), meet(ids_of(a), ids_of(b)))
            << a.fixed << '/' << a.shift << '+' << a.bits << ' ' << a.sequences.min << ".." << a.sequences.max
            << " and " << b.fixed << '/' << b.shift << '+' << b.bits << ' ' << b.sequences.min << ".."
            << b.sequences.max;
        ASSERT_EQ(overlap(a, b), overlap(b, a));
        overlapping += overlap(a, b);
    }
    EXPECT_GT(overlapping, 20'000);
}

TEST(Claim, OverlapsARangeOfWorkersIfAndOnlyIfOneOfThem) {
    std::mt19937_64 random = test::seeded_random();
    const Layout layouts[] = {layout_of("epoch=2024-01-01,tick=1ms,time=41,worker=5,sequence=3"),
                              layout_of("epoch=2024-01-01,tick=1ms,time=41,sequence=3,worker=5"),
                              layout_of("epoch=2024-01-01,tick=1ms,time=41,high=2,sequence=3,low=3")};
    int overlapping = 0;
    for (int round = 0; round < 100'000; ++round) {
        const Layout &layout = layouts[round % 3];
        const Claim claim = random_claim(random);
        const auto first = static_cast<std::uint32_t>(test::below(random, 32));
        const auto last = first + static_cast<std::uint32_t>(test::below(random, 32 - first));
        bool any = false;
        for (std::uint32_t worker = first; worker <= last; ++worker)
            any = any || overlap(claim, claim_of(layout, worker, {0, layout.sequence().max()}));
        ASSERT_EQ(overlap(claim, layout, first, last), any)
            << claim.fixed << '/' << claim.shift << '+' << claim.bits << ' ' << claim.sequences.min << ".."
            << claim.sequences.max << " and " << first << ".." << last;
        overlapping += any;
    }
    EXPECT_GT(overlapping, 10'000);
}

TEST(Claim, ComparesLayoutsThatDivideTheBitsDifferently) {
    const Layout wide = layout_of("epoch=2024-01-01,tick=1ms,time=41,worker=10,sequence=12");
    const Layout deep = layout_of("epoch=2024-01-01,tick=1ms,time=41,worker=8,sequence=14");
    const Layout low = layout_of("epoch=2024-01-01,tick=1ms,time=41,sequence=12,worker=10");
    EXPECT_TRUE(overlap(claim_of(wide, 4, {0, 4095}), claim_of(deep, 1, {0, 16383})));
    EXPECT_FALSE(overlap(claim_of(wide, 4, {0, 4095}), claim_of(deep, 1, {4096, 16383})));
    EXPECT_FALSE(overlap(claim_of(wide, 4, {0, 4095}), claim_of(deep, 2, {0, 16383})));
    EXPECT_FALSE(overlap(claim_of(wide, 4, {0, 99}), claim_of(wide, 4, {100, 4095})));
    EXPECT_TRUE(overlap(claim_of(wide, 4, {0, 100}), claim_of(wide, 4, {100, 4095})));
    EXPECT_TRUE(overlap(claim_of(wide, 4, {5, 5}), claim_of(low, 5, {16, 16})));
    EXPECT_FALSE(overlap(claim_of(wide, 4, {5, 5}), claim_of(low, 6, {16, 16})));
}

}  // namespace
}  // namespace snowid::core
