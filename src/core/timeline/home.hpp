// Where a server's data are: the directory, and the machine. A copied directory is another one, and a copied machine
// has another id, as far as it has one. It can get its id later than the server.
#pragma once

#include <cstdint>

namespace snowid::core {

struct Home {
    std::int64_t word = 0;  // the directory in the upper half, and the machine in the lower one, or 0 for none

    static constexpr Home of(std::uint32_t directory, std::uint32_t machine) noexcept {
        return {static_cast<std::int64_t>(std::uint64_t{directory | 1} << 32 | machine)};
    }
    constexpr std::uint32_t machine() const noexcept { return static_cast<std::uint32_t>(word); }
    constexpr std::uint32_t directory() const noexcept {
        return static_cast<std::uint32_t>(static_cast<std::uint64_t>(word) >> 32);
    }
};

constexpr bool can_be_same(Home a, Home b) noexcept {
    return a.directory() == b.directory() && (a.machine() == b.machine() || a.machine() == 0 || b.machine() == 0);
}

}  // namespace snowid::core
