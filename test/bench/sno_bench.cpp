// The cost of an id from a sno timeline, while there are sequence numbers left and when they are used up.
#include <benchmark/benchmark.h>

#include <ctime>

#include "core/id/sno.hpp"
#include "core/sno/timeline.hpp"

namespace snowid::core {
namespace {

constexpr SnoBounds kAll{};
constexpr SnoPolicy kPolicy{.max_ahead = 2, .patience = 0};
constexpr std::int64_t kStart = 1'700'000'000'000'000'000;

UnixNanos wall_clock() {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    return {now.tv_sec * kNanosPerSecond + now.tv_nsec};
}

SnoDecision take(SnoTimeline &timeline, UnixNanos now) {
    return timeline.take(kAll, kPolicy, timeline.look(), now, SnoUnits::kEnd);
}

Sno id_of(const SnoPosition &position) { return from_position(position, 7, 4711); }

// On a clock that advances by the share of one id in a full unit.
void sno_next(benchmark::State &state) {
    SnoTimeline timeline;
    std::int64_t now = kStart;
    for (auto _ : state) benchmark::DoNotOptimize(id_of(take(timeline, {now += 62}).position));
}
BENCHMARK(sno_next);

void sno_clock(benchmark::State &state) {
    for (auto _ : state) benchmark::DoNotOptimize(wall_clock());
}
BENCHMARK(sno_clock);

// On the real clock. 65536 ids in 4 ms allow no less than 61 ns an id.
void sno_next_saturated(benchmark::State &state) {
    SnoTimeline timeline;
    for (auto _ : state) {
        SnoDecision d = take(timeline, wall_clock());
        if (d.verdict == SnoVerdict::wait)
            while (SnoUnits::at(wall_clock()) < d.due_unit) benchmark::ClobberMemory();
        else if (d.verdict != SnoVerdict::make)
            return state.SkipWithError("the clock stepped back");
        benchmark::DoNotOptimize(id_of(d.position));
    }
}
BENCHMARK(sno_next_saturated)->MinTime(1)->UseRealTime();

}  // namespace
}  // namespace snowid::core
