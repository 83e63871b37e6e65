// The history of a cluster's WAL in which a row was written. It tells whether WAL may have been lost since.
//
// A restore and a promotion each begin a new WAL timeline, whose number is above all numbers of the data that it goes
// on from. What was written on the timeline before, after the point where the new one begins, is lost. A server that
// ends its recovery without a promotion loses WAL on the same timeline: then the time at which it was seen makes
// another history of the same cluster. pg_upgrade takes the rows along, loses nothing, and begins a new cluster: the
// next start writes its history into them.
#pragma once

#include <cstdint>
#include <limits>

namespace snowid::core {

struct History {
    // The timeline in the lower half, and what tells the cluster from others in the upper half.
    std::int64_t word = 0;

    // `lost` says when WAL was last lost on the timeline, or is 0.
    static constexpr History of(std::uint64_t system_identifier, std::uint32_t timeline, std::int64_t lost) noexcept {
        const std::uint64_t own = system_identifier + static_cast<std::uint64_t>(lost) * 0xD6E8'FEB8'6659'FD93U;
        const std::uint64_t cluster = (own * 0x9E37'79B9'7F4A'7C15U) >> 33 | 1;
        return {static_cast<std::int64_t>(cluster << 32 | (lost == 0 ? 0 : kHasLost) | timeline)};
    }
    // Of a row that SQL has added: it comes from a dump, and what was made after the dump is lost.
    static constexpr History unknown() noexcept { return {-1}; }

    // Of a row that a copy of a server has advanced, until somebody says that the two cannot make the same ids. A
    // promotion does not end that.
    constexpr History of_copy() const noexcept { return {word | std::numeric_limits<std::int64_t>::min()}; }
    constexpr bool is_of_copy() const noexcept { return word < 0 && word != unknown().word; }

    constexpr std::uint32_t timeline() const noexcept { return static_cast<std::uint32_t>(word) & ~kHasLost; }
    friend constexpr bool operator==(const History &, const History &) noexcept = default;

private:
    static constexpr std::uint32_t kHasLost = 1U << 31;  // no timeline has such a number
};

// Whether no WAL can have been lost between a row that was written in the history `row` and now.
constexpr bool goes_on(History row, History now) noexcept { return row == now; }

// Where a server's data are: the directory, and the machine. A copied directory is another one, and a copied machine
// has another id, as far as it has one. It can get its id later than the server.
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
