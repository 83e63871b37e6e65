// A transaction repeats what it has answered a snapshot, or says that it no longer knows.
#include "core/safe/answers.hpp"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "layout/random_layout.hpp"
#include "random.hpp"

namespace snowid::core {
namespace {

using test::below;

// Snapshots of one list of transactions. Each sees everything that the earlier ones see.
TEST(Answers, SayTheSameAgainOrNothing) {
    std::mt19937_64 random = test::seeded_random();
    std::uint32_t memory[Answers::kArrays * 8];
    Answers answers;
    answers.use(memory, 8);
    std::uint64_t safe_horizon = 0, known = 0, forgotten = 0, zeros = 0;
    for (std::uint32_t transaction = 1; transaction <= 300; ++transaction) {
        std::map<std::uint32_t, std::uint64_t> said;
        std::uint32_t newest = 1000 * transaction;
        for (int i = 0; i < 200; ++i) {
            const bool again = !said.empty() && below(random, 3) == 0;
            if (!again) newest += static_cast<std::uint32_t>(below(random, 2));
            const std::uint32_t end =
                again ? newest - std::min(newest - 1000 * transaction, static_cast<std::uint32_t>(below(random, 20)))
                      : newest;
            const std::optional<std::uint64_t> answer = answers.answer(transaction, {end, {}}, [&](Sample &to) {
                to.end = newest;
                to.count = 0;
                to.safe_horizon = ++safe_horizon;
            });
            if (!answer) {
                ++forgotten;
                ASSERT_LT(end, newest);
                continue;
            }
            zeros += *answer == 0;
            if (const auto it = said.find(end); it != said.end()) {
                ++known;
                ASSERT_EQ(*answer, it->second) << "of " << end << " in " << transaction;
            }
            said[end] = *answer;
        }
    }
    EXPECT_GT(known, 1000U);
    EXPECT_GT(forgotten, 100U);
    EXPECT_GT(zeros, 10U);
}

}  // namespace
}  // namespace snowid::core
