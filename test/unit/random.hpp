// A random source that prints its seed. Set SNOWID_SEED to that seed to repeat a run.
#pragma once

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

}  // namespace snowid::test
