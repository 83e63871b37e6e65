// A counter that starts again every second, for ids with 32 bits of seconds and 24 bits of counter. No two callers get
// the same count. The counter never wraps: when a second is used up, callers wait for the next.
//
// A clock that steps back by up to the drift is not followed; counting goes on in the last second. A clock that steps
// back by more is followed, and seconds then repeat. `incarnation` distinguishes their counts: besides the count, an id
// needs a random part that is drawn again whenever the incarnation changes.
//
// The state is one word, the last count that was taken:
//
//     63              56                    24               0
//     |  incarnation   |  Unix time in s     |  counter      |
#pragma once

#include <atomic>
#include <cstdint>

#include "core/clock/policy.hpp"
#include "core/time.hpp"

namespace snowid::core {

// The answer to a request for a count. The count is taken if, and only if, the verdict is issue.
struct Count {
    Verdict verdict;  // issue; wait: ask again after wait_ns; at_limit: the format cannot hold the clock's time
    std::uint8_t incarnation;
    UnixMicros time;
    std::int64_t counter;
    std::int64_t wait_ns;  // how long to wait, on a clock that does not step
    bool followed_back;    // this call noticed that the clock stepped back; counted in the statistics
};

class alignas(64) SecondCounter {
public:
    static constexpr std::uint64_t kMaxCounter = (1ULL << 24) - 1;
    static constexpr std::int64_t kMaxSecond = (1LL << 32) - 1;

    // `clock` returns UnixNanos. REQUIRES: drift_ns >= 0, the same for all callers.
    template <typename Clock>
    Count take(const Clock &clock, std::int64_t drift_ns) noexcept {
        bool followed = false;
        for (;;) {
            Count count = take_at(clock(), drift_ns);
            count.followed_back = followed;
            if (count.verdict != Verdict::refuse) [[likely]]
                return count;
            followed |= follow(clock, drift_ns);
        }
    }

private:
    struct Word {
        std::uint8_t incarnation;
        std::int64_t second;
        std::uint64_t counter;

        static constexpr Word of(std::uint64_t bits) noexcept {
            return {static_cast<std::uint8_t>(bits >> 56), static_cast<std::int64_t>(bits >> 24) & kMaxSecond,
                    bits & kMaxCounter};
        }
        constexpr std::uint64_t bits() const noexcept {
            return std::uint64_t{incarnation} << 56 | static_cast<std::uint64_t>(second) << 24 | counter;
        }
        constexpr std::int64_t start_ns() const noexcept { return second * kNanosPerSecond; }

        // REQUIRES: the later of `now` and the word's own second has a count left.
        constexpr Word next(std::int64_t now) const noexcept {
            if (now > second) return {incarnation, now, 0};
            return {incarnation, second, counter + 1};
        }
        // Skips count 0, which this word stands for: nobody gets it.
        constexpr Word back_to(std::int64_t now) const noexcept {
            return {static_cast<std::uint8_t>(incarnation + 1), now, 0};
        }
    };

    // Refuses and takes no count if the clock seems to have stepped back by more than the drift.
    Count take_at(UnixNanos now, std::int64_t drift_ns) noexcept {
        const std::int64_t second = second_of(now);
        if (!has_second(second)) return without(Verdict::at_limit);
        std::uint64_t bits = word_.load(std::memory_order_relaxed);
        for (;;) {
            const Word last = Word::of(bits);
            if (last.start_ns() - now.value > drift_ns) return without(Verdict::refuse);
            if (second <= last.second && last.counter == kMaxCounter)
                return without(Verdict::wait, last.start_ns() + kNanosPerSecond - now.value);
            const Word next = last.next(second);
            if (word_.compare_exchange_weak(bits, next.bits(), std::memory_order_relaxed)) return issued(next);
        }
    }

    // A caller that slept may hold a reading of the clock that is older than the word. This reads the clock again,
    // after it has read the word. If the clock is still behind and the word has not changed, the word goes back.
    template <typename Clock>
    bool follow(const Clock &clock, std::int64_t drift_ns) noexcept {
        std::uint64_t bits = word_.load(std::memory_order_acquire);
        const UnixNanos now = clock();
        const Word last = Word::of(bits);
        if (last.start_ns() - now.value <= drift_ns || !has_second(second_of(now))) return false;
        return word_.compare_exchange_strong(bits, last.back_to(second_of(now)).bits(), std::memory_order_relaxed);
    }

    static constexpr Count issued(const Word &word) noexcept {
        return {Verdict::issue,
                word.incarnation,
                {word.second * kMicrosPerSecond},
                static_cast<std::int64_t>(word.counter),
                0,
                false};
    }
    static constexpr Count without(Verdict verdict, std::int64_t wait_ns = 0) noexcept {
        return {verdict, 0, {0}, 0, wait_ns, false};
    }

    static constexpr std::int64_t second_of(UnixNanos now) noexcept { return floor_div(now.value, kNanosPerSecond); }
    static constexpr bool has_second(std::int64_t second) noexcept { return second >= 0 && second <= kMaxSecond; }

    std::atomic<std::uint64_t> word_{0};
};

static_assert(sizeof(SecondCounter) == 64 && std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace snowid::core
