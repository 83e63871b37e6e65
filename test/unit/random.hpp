// A random source that prints its seed. Set SNOWID_SEED to that seed to repeat a run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>

namespace snowid::test {

inline std::mt19937_64 seeded_random() {
    const char *given = std::getenv("SNOWID_SEED");
    const std::uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
    std::cout << "SNOWID_SEED=" << seed << '\n';
    return std::mt19937_64(seed);
}

// How often a model repeats what gets better with repetition: SNOWID_ROUNDS per cent of this.
inline int rounds(int all) {
    const char *given = std::getenv("SNOWID_ROUNDS");
    return given != nullptr ? std::max(1, all * std::atoi(given) / 100) : all;
}

}  // namespace snowid::test
