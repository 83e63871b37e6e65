// A counter that starts again every second, for ids with 32 bits of seconds and 24 bits of counter. No two callers get
// the same count. The counter never wraps: when a second is used up, callers wait for the next.
//
// The counter ignores a clock that steps back by up to the drift, and counts on in the last second. It follows a clock
// that steps back further, and seconds then repeat. `incarnation` tells their counts apart: besides the count, an id
// needs a part that is different in each incarnation. The incarnation is the number of steps back, and never wraps.
//
// The state is one word, the last count taken, and next to it the number of steps back. The word holds the low bits of
// its incarnation:
//
//     63              56                    24               0
//     |  incarnation   |  Unix time in s     |  counter      |
//
// A step back increments `steps` first, and then sets the word back. Only the caller that did so sets the word back,
// and nobody increments it again before that. So the word's incarnation is always `steps` or one less.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/clock/policy.hpp"
#include "core/time.hpp"

namespace snowid::core {

// The answer to a request for a count. The count is taken if, and only if, the verdict is make.
struct Count {
    Verdict verdict;  // make; wait: ask again after wait_ns; at_limit: the format cannot hold the clock's time
    std::uint64_t incarnation;
    UnixMicros time;
    std::int64_t counter;
    std::int64_t wait_ns;  // how long to wait, by a clock that does not step
};

// `Atomic` is an atomic std::uint64_t. A test passes one that interrupts its caller.
template <typename Atomic>
class alignas(64) BasicSecondCounter {
public:
    static constexpr std::uint64_t kMaxCounter = (1ULL << 24) - 1;
    static constexpr std::int64_t kMaxSecond = (1LL << 32) - 1;

    // `clock` returns UnixNanos. REQUIRES: drift_ns >= 0, the same for all callers.
    template <typename Clock>
    Count take(const Clock &clock, std::int64_t drift_ns) noexcept {
        for (;;) {
            const Count count = take_at(clock(), drift_ns);
            if (count.verdict != Verdict::refuse) [[likely]]
                return count;
            if (is_stepping_back()) return without(Verdict::wait, kStepBackNs);
            follow(clock, drift_ns);
        }
    }

private:
    static constexpr int kIncarnationBits = 8, kIncarnationShift = 64 - kIncarnationBits;
    static constexpr std::int64_t kStepBackNs = kNanosPerMilli;  // a caller needs less for a step back, if it can run

    struct Word {
        std::uint8_t incarnation;  // the low bits
        std::int64_t second;
        std::uint64_t counter;

        static constexpr Word of(std::uint64_t bits) noexcept {
            return {static_cast<std::uint8_t>(bits >> kIncarnationShift),
                    static_cast<std::int64_t>(bits >> 24) & kMaxSecond, bits & kMaxCounter};
        }
        constexpr std::uint64_t bits() const noexcept {
            return std::uint64_t{incarnation} << kIncarnationShift | static_cast<std::uint64_t>(second) << 24 | counter;
        }
        constexpr std::int64_t start_ns() const noexcept { return second * kNanosPerSecond; }

        // REQUIRES: the later of `now` and the word's own second has a count left.
        constexpr std::uint64_t next(std::int64_t now) const noexcept {
            return now > second ? Word{incarnation, now, 0}.bits() : bits() + 1;
        }
        constexpr bool is_of(std::uint64_t steps) const noexcept {
            return incarnation == static_cast<std::uint8_t>(steps);
        }
    };

    // Takes a count. If the clock seems to have stepped back by more than the drift, takes none, and the verdict is
    // refuse.
    Count take_at(UnixNanos now, std::int64_t drift_ns) noexcept {
        const std::int64_t second = second_of(now);
        if (!has_second(second)) return without(Verdict::at_limit);
        for (;;) {
            const std::uint64_t steps = steps_.load(std::memory_order_acquire);
            std::uint64_t bits = word_.load(std::memory_order_relaxed);
            std::uint64_t next = 0;
            do {
                const Word last = Word::of(bits);
                if (last.start_ns() - now.value > drift_ns) return without(Verdict::refuse);
                if (second <= last.second && last.counter == kMaxCounter)
                    return without(Verdict::wait, last.start_ns() + kNanosPerSecond - now.value);
                next = last.next(second);
            } while (!word_.compare_exchange_weak(bits, next, std::memory_order_acquire, std::memory_order_relaxed));
            const Word taken = Word::of(next);
            if (std::uint64_t incarnation = 0; is_known(taken, steps, incarnation)) [[likely]]
                return issued(taken, incarnation);
        }
    }

    // Works out the incarnation of a word that this caller has just set. `before` is what the caller read from `steps`
    // before that. When it set the word, the incarnation was at least `before - 1` and at most what `steps` is now. If
    // the low bits can tell all numbers in that range apart, they give the incarnation. Otherwise the caller slept
    // while the clock stepped back hundreds of times. It leaves its count unused.
    bool is_known(const Word &word, std::uint64_t before, std::uint64_t &incarnation) const noexcept {
        const std::uint64_t now = steps_.load(std::memory_order_relaxed);
        incarnation = now - static_cast<std::uint8_t>(now - word.incarnation);
        return now - before < (1ULL << kIncarnationBits) - 1;
    }

    // A caller that slept may have a reading of the clock that is older than the word. So this reads the word first,
    // and then the clock again. If the clock is still behind, the word goes back.
    //
    // If this caller can increment `steps`, it has not changed since it was read. The word's incarnation was not one
    // less then, so it has been `steps` ever since. Nobody else increments it before the word goes back, however long
    // that takes.
    template <typename Clock>
    void follow(const Clock &clock, std::int64_t drift_ns) noexcept {
        std::uint64_t steps = steps_.load(std::memory_order_acquire);
        const Word last = Word::of(word_.load(std::memory_order_acquire));
        const UnixNanos now = clock();
        if (!last.is_of(steps) || last.start_ns() - now.value <= drift_ns || !has_second(second_of(now))) return;
        if (!steps_.compare_exchange_strong(steps, steps + 1, std::memory_order_acq_rel)) return;
        // Count 0 is skipped. The word stands for it, and nobody gets it.
        const Word first{static_cast<std::uint8_t>(steps + 1), second_of(now), 0};
        word_.store(first.bits(), std::memory_order_release);
    }

    // Another caller has incremented `steps` and has not set the word back yet.
    bool is_stepping_back() const noexcept {
        const std::uint64_t steps = steps_.load(std::memory_order_acquire);
        return !Word::of(word_.load(std::memory_order_acquire)).is_of(steps);
    }

    static constexpr Count issued(const Word &word, std::uint64_t incarnation) noexcept {
        return {
            Verdict::make, incarnation, {word.second * kMicrosPerSecond}, static_cast<std::int64_t>(word.counter), 0};
    }
    static constexpr Count without(Verdict verdict, std::int64_t wait_ns = 0) noexcept {
        return {verdict, 0, {0}, 0, wait_ns};
    }

    // For an instant before 1970, this is a second beyond the last one.
    static constexpr std::int64_t second_of(UnixNanos now) noexcept {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(now.value) / kNanosPerSecond);
    }
    static constexpr bool has_second(std::int64_t second) noexcept { return second <= kMaxSecond; }

    Atomic word_{0};
    Atomic steps_{0};
};

using SecondCounter = BasicSecondCounter<std::atomic<std::uint64_t>>;

static_assert(sizeof(SecondCounter) == 64 && std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace snowid::core
