// A timeline for ids that are unique by their random bits. It only orders them, so it is not durable and never refuses.
//
//     ahead <= drift             make
//     ahead <= drift + queue     wait until it is at most drift ahead: this paces overload
//     more                       the clock has stepped back: go back with it, and make
//
// Ids ascend across all callers unless the clock steps back by more than the drift. Each caller takes a position before
// it waits and holds only one, so overload alone never gets past the queue.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "core/clock/policy.hpp"
#include "core/clock/uuid7_ticks.hpp"
#include "core/timeline/timeline.hpp"

namespace snowid::core {

// The answer to a request for positions. The positions in the run are taken whatever the verdict; after a wait the
// caller uses them.
struct RandomDecision {
    Verdict verdict;       // make or wait
    Run run;               // one position from take(); take_run() may return none with the verdict wait
    std::int64_t ahead;    // ticks by which the first position is ahead of the clock
    std::int64_t wait_ns;  // how long to wait, by a clock that does not step
    bool followed_back;    // this call noticed that the clock had stepped back; for the statistics
};

class alignas(64) RandomTimeline {
public:
    static constexpr std::int64_t kQueueTicks = 1 << 18;  // 64 ms; there can never be that many callers
    static constexpr std::uint64_t kLargestRun = 64;

    std::uint64_t last() const noexcept { return position_.load(std::memory_order_relaxed); }

    // The fast path: a position that can be made at once, or 0. `now` may be stale.
    // REQUIRES: drift_ticks >= 0, the same for all callers.
    std::uint64_t take_now(UnixNanos now, std::int64_t drift_ticks) noexcept {
        const std::int64_t tick = Uuid7Ticks::at(now);
        std::uint64_t last = position_.load(std::memory_order_relaxed);
        for (;;) {
            const std::int64_t next = std::max(static_cast<std::int64_t>(last) + 1, tick);
            if (next - tick > drift_ticks) [[unlikely]]
                return 0;
            if (position_.compare_exchange_weak(last, static_cast<std::uint64_t>(next), std::memory_order_relaxed))
                [[likely]]
                return static_cast<std::uint64_t>(next);
        }
    }

    // `clock` returns UnixNanos. REQUIRES: drift_ticks >= 0, the same for all callers.
    template <typename Clock>
    RandomDecision take(const Clock &clock, std::int64_t drift_ticks) noexcept {
        return take(clock, drift_ticks, {drift_ticks + kQueueTicks, drift_ticks, 1});
    }

    // For batches: up to `want` consecutive positions. A batch may use only a sixteenth of the drift. So it slows down
    // only its own caller, and the ids of others are hardly ahead of the clock. REQUIRES: want > 0.
    template <typename Clock>
    RandomDecision take_run(const Clock &clock, std::int64_t drift_ticks, std::uint64_t want) noexcept {
        return take_stretch(clock, drift_ticks, std::min(want, kLargestRun));
    }

    // The same for a stretch, which may be longer.
    template <typename Clock>
    RandomDecision take_stretch(const Clock &clock, std::int64_t drift_ticks, std::uint64_t want) noexcept {
        return take(clock, drift_ticks, {drift_ticks / 16, drift_ticks / 16, want});
    }

private:
    struct Request {
        std::int64_t reach;   // how many ticks ahead of the clock the positions may be
        std::int64_t issued;  // how many ticks ahead they may be and still be made without a wait
        std::uint64_t want;   // how many positions
    };

    template <typename Clock>
    RandomDecision take(const Clock &clock, std::int64_t drift_ticks, const Request &request) noexcept {
        bool followed = false;
        for (;;) {
            const std::int64_t now = read(clock);
            const Run run = take_at(now, drift_ticks, request);
            const std::int64_t ahead = static_cast<std::int64_t>(run.first) - now;
            if (!stepped_back(ahead, drift_ticks)) [[likely]]
                return decide(run, ahead, request, followed);
            followed |= follow(clock, drift_ticks);
        }
    }

    // Takes no position if the clock seems to have stepped back.
    Run take_at(std::int64_t now, std::int64_t drift_ticks, const Request &request) noexcept {
        std::uint64_t last = position_.load(std::memory_order_relaxed);
        for (;;) {
            const std::int64_t first = std::max(static_cast<std::int64_t>(last) + 1, now);
            const std::int64_t room = now + request.reach + 1 - first;
            Run run{static_cast<std::uint64_t>(first), 0};
            if (room <= 0 || stepped_back(first - now, drift_ticks)) return run;
            run.count = std::min(request.want, static_cast<std::uint64_t>(room));
            if (position_.compare_exchange_weak(last, run.first + run.count - 1, std::memory_order_relaxed)) return run;
        }
    }

    // A caller that slept may have a reading of the clock that is older than the position. So this reads the position
    // first, and then the clock again. If the clock is still behind and the position has not moved, the position goes
    // back.
    template <typename Clock>
    bool follow(const Clock &clock, std::int64_t drift_ticks) noexcept {
        std::uint64_t last = position_.load(std::memory_order_acquire);
        const std::int64_t now = read(clock);
        if (!stepped_back(static_cast<std::int64_t>(last) + 1 - now, drift_ticks)) return false;
        return position_.compare_exchange_strong(last, static_cast<std::uint64_t>(now), std::memory_order_relaxed);
    }

    static constexpr RandomDecision decide(const Run &run, std::int64_t ahead, const Request &request,
                                           bool followed) noexcept {
        if (run.count != 0 && ahead <= request.issued) [[likely]]
            return {Verdict::make, run, ahead, 0, followed};
        const std::int64_t wait_ns = Uuid7Ticks::start(ahead - request.issued).value;
        return {Verdict::wait, run, ahead, wait_ns, followed};
    }

    static constexpr bool stepped_back(std::int64_t ahead, std::int64_t drift_ticks) noexcept {
        return ahead > drift_ticks + kQueueTicks;
    }

    // A clock before 1970 counts as 1970.
    template <typename Clock>
    static std::int64_t read(const Clock &clock) noexcept {
        return std::max(Uuid7Ticks::at(clock()), std::int64_t{0});
    }

    std::atomic<std::uint64_t> position_{0};
};

static_assert(sizeof(RandomTimeline) == 64 && std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace snowid::core
