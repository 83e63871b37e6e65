#include "server/generator/random_spread.hpp"

#include <utility>

#include "pg/clock.hpp"

extern "C" {
#include "access/parallel.h"
#include "access/xact.h"
}

namespace snowid::server {

constinit RandomSpread random_spread;

namespace {

void end_spread(XactEvent event, void *) {
    if (event == XACT_EVENT_COMMIT || event == XACT_EVENT_ABORT || event == XACT_EVENT_PREPARE)
        random_spread.end_transaction();
}

void watch_transactions_for_spread() {
    static constinit bool watching = false;
    if (watching) return;
    RegisterXactCallback(end_spread, nullptr);
    watching = true;
}

}  // namespace

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

}  // namespace snowid::server
