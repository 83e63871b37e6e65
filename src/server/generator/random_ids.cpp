#include "server/generator/random_ids.hpp"

#include "pg/source/random.hpp"
#include "pg/time.hpp"
#include "server/shared/wait.hpp"

extern "C" {
#include "access/parallel.h"
#include "access/xact.h"
}

namespace snowid::server {

constinit RandomState local_random_state{};
constinit RandomSpread random_spread;

namespace {

// How long a batch waits if other callers are far ahead of it. Then it goes on with a single id.
constexpr std::int64_t kBatchWaitNs = core::millis(10);

void wait_for(std::int64_t ns) {
    if (ns <= 0) return;
    const std::int64_t deadline = pg::monotonic_ns() + ns;
    for (std::int64_t left = ns; left > 0; left = deadline - pg::monotonic_ns())
        sleep_slice(std::min(left, core::kLongestSliceNs));
}

void note(const core::RandomDecision &decision) noexcept {
    if (decision.followed_back) random_state().steps_back.fetch_add(1, std::memory_order_relaxed);
}

// The finaliser of SplitMix64: every bit of the result depends on every bit of x.
constexpr std::uint64_t mix(std::uint64_t x) noexcept {
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
    x = (x ^ x >> 27) * 0x94D049BB133111EB;
    return x ^ x >> 31;
}

void end_spread(XactEvent event, void *) {
    if (event == XACT_EVENT_COMMIT || event == XACT_EVENT_ABORT || event == XACT_EVENT_PREPARE)
        random_spread.end_transaction();
}

void watch_transactions_for_spread() {
    static constinit bool watching = false;
    if (!watching) RegisterXactCallback(end_spread, nullptr);
    watching = true;
}

// Up to `want` positions, or none. It never waits for them.
core::Run next_stretch(std::uint64_t want) {
    const std::int64_t drift_ticks = core::Uuid7Ticks::in_ns(settings.clock_drift_ns());
    const core::RandomDecision decision = random_state().timeline.take_stretch(pg::wall_clock, drift_ticks, want);
    note(decision);
    return decision.run;
}

}  // namespace

std::uint64_t take_position_slowly() {
    const core::RandomDecision decision =
        random_state().timeline.take(pg::wall_clock, core::Uuid7Ticks::in_ns(settings.clock_drift_ns()));
    note(decision);
    wait_for(decision.wait_ns);
    return decision.run.first;
}

core::Run next_positions(std::uint64_t want) {
    const std::int64_t drift_ticks = core::Uuid7Ticks::in_ns(settings.clock_drift_ns());
    for (int attempt = 0; attempt < 2; ++attempt) {
        const core::RandomDecision decision = random_state().timeline.take_run(pg::wall_clock, drift_ticks, want);
        note(decision);
        if (decision.run.count > 0) {
            wait_for(decision.wait_ns);
            return decision.run;
        }
        wait_for(std::min(decision.wait_ns, kBatchWaitNs));
    }
    return {next_position(), 1};
}

// Without shared memory each session has a timeline of its own, and there is nobody to make room for.
void RandomSpread::enter() {
    if (!is_preloaded || IsParallelWorker()) return;
    watch_transactions_for_spread();
    if (!look_span_.holds(pg::near_clock.count())) {
        const core::UnixNanos now = pg::near_clock.read();
        stretches_.begin(core::Stretches::longest_of(core::Uuid7Ticks::kPerMs));
        stretches_.look({pg::boot_ns(), now});
        look_span_ = pg::near_clock.span_until({now.value + core::kNanosPerMilli});
    }
    if (!std::exchange(is_spreading_, true)) stretches_.begin_transaction();
    span_ = look_span_;
}

[[gnu::noinline]] std::uint64_t RandomSpread::next_slowly() {
    if (has_stretch()) return stretches_.take();
    stretches_.count_alone();
    return next_position();
}

bool RandomSpread::has_stretch() {
    if (!is_spreading_) return false;
    if (stretches_.go_on()) return true;
    stretches_.make_room();
    const std::uint64_t want = stretches_.wanted();
    if (want == 1) return false;
    const core::Run run = next_stretch(want);
    if (run.count == 0) return false;
    stretches_.add(run, {core::Uuid7Ticks::start(static_cast<std::int64_t>(run.first)),
                         core::Uuid7Ticks::start(static_cast<std::int64_t>(run.first + run.count))});
    return true;
}

core::Count next_count(Counted of) {
    core::SecondCounter &counter = random_state().counter(of);
    for (;;) {
        const core::Count count = counter.take(pg::wall_clock, settings.clock_drift_ns());
        if (count.verdict != core::Verdict::wait) [[likely]]
            return count;
        wait_for(count.wait_ns);
    }
}

std::uint64_t next_backfilled_rsxid() { return random_state().backfilled.fetch_add(1, std::memory_order_relaxed); }

std::uint64_t steps_back() { return random_state().steps_back.load(std::memory_order_relaxed); }

std::uint64_t bits_of_seed(SeedUse use, std::uint64_t number) {
    std::atomic<std::uint64_t> &seed = random_state().seed;
    std::uint64_t bits = seed.load(std::memory_order_relaxed);
    if (bits == 0) [[unlikely]] {
        const std::uint64_t drawn = core::load_be<8>(pg::random_bytes<8>().data()) | 1;
        if (seed.compare_exchange_strong(bits, drawn, std::memory_order_relaxed)) bits = drawn;
    }
    return mix(mix(bits + static_cast<std::uint64_t>(use)) + number);
}

}  // namespace snowid::server
