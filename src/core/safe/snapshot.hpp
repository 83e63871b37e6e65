// Which transactions a snapshot sees as finished. Transaction numbers have 32 bits and wrap around.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

namespace snowid::core {

struct Finished {
    std::uint32_t end;                       // neither this transaction nor any later one has finished
    std::span<const std::uint32_t> running;  // nor has any of these
};

constexpr bool precedes(std::uint32_t a, std::uint32_t b) noexcept { return static_cast<std::int32_t>(a - b) < 0; }

// Whether the snapshot sees everything as finished that an earlier snapshot did. The earlier one's running transactions
// are sorted by number.
inline bool sees_all(const Finished &snapshot, const Finished &sorted) noexcept {
    if (precedes(snapshot.end, sorted.end)) return false;
    return std::all_of(snapshot.running.begin(), snapshot.running.end(), [&](std::uint32_t xid) {
        return !precedes(xid, sorted.end) || std::binary_search(sorted.running.begin(), sorted.running.end(), xid);
    });
}

// Whether the transaction is still running. A prepared transaction may have ended long ago. Its number stays in its
// place, and may have been reused after a wraparound. `next` was read after `xid`.
inline bool is_running(const Finished &sorted, std::uint32_t xid, std::uint32_t next) noexcept {
    if (!precedes(xid, sorted.end)) return precedes(xid, next);
    return std::binary_search(sorted.running.begin(), sorted.running.end(), xid);
}

// The transaction's number counted since initdb, without wraparound. REQUIRES: it is one of the last 2^31 before
// `next`.
constexpr std::uint64_t whole_xid(std::uint32_t xid, std::uint64_t next) noexcept {
    return next - static_cast<std::uint32_t>(static_cast<std::uint32_t>(next) - xid);
}

}  // namespace snowid::core
