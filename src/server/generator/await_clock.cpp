#include "server/generator/await_clock.hpp"

#include <algorithm>

#include "pg/clock.hpp"
#include "server/generator/overflow.hpp"
#include "server/shared/shared.hpp"
#include "server/shared/wait.hpp"

namespace snowid::server {
namespace {

// Until the clock reaches this time, ids are ahead of it for a known reason.
std::int64_t behind_until_ns(const Slot &slot) {
    return std::max(shared->behind_until_ns.load(std::memory_order_relaxed),
                    slot.start_ns.load(std::memory_order_relaxed));
}

}  // namespace

void await_clock(Slot &slot, core::UnixNanos due, bool is_ahead) {
    const core::UnixNanos now = pg::wall_clock();
    std::int64_t left = due.value - now.value;
    if (left <= 0) return;
    const std::int64_t began = pg::monotonic_ns(), deadline = began + left;
    if (is_ahead && now.value >= behind_until_ns(slot)) begin_overflow(slot);
    while (left > 0) {
        sleep_slice(std::min(left, core::kLongestSliceNs));
        left = std::min(due.value - pg::wall_clock().value, deadline - pg::monotonic_ns());
    }
    end_overflow();
    count(slot.counters.waits);
    count(slot.counters.wait_ns, pg::monotonic_ns() - began);
}

}  // namespace snowid::server
