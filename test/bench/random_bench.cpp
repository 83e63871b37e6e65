// The cost of a position and of a count, the reading of the clock included, for one caller.
#include <benchmark/benchmark.h>

#include <ctime>

#include "core/gen/random_timeline.hpp"
#include "core/gen/second_counter.hpp"
#include "core/id/ulid.hpp"

namespace snowid::core {
namespace {

UnixNanos read_clock() {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    return {now.tv_sec * 1'000'000'000LL + now.tv_nsec};
}

constexpr std::int64_t kDriftNs = 2'000'000'000;

void clock_only(benchmark::State &state) {
    for (auto _ : state) benchmark::DoNotOptimize(read_clock());
}
BENCHMARK(clock_only);

void take_position(benchmark::State &state) {
    RandomTimeline timeline;
    std::int64_t waits = 0;
    for (auto _ : state) waits += timeline.take(read_clock, Uuid7Ticks::in_ns(kDriftNs)).verdict == Verdict::wait;
    state.counters["waits"] = static_cast<double>(waits);
}
BENCHMARK(take_position)->Iterations(1'000'000);

void take_count(benchmark::State &state) {
    SecondCounter counter;
    std::int64_t waits = 0;
    for (auto _ : state) waits += counter.take(read_clock, kDriftNs).verdict == Verdict::wait;
    state.counters["waits"] = static_cast<double>(waits);
}
BENCHMARK(take_count)->Iterations(1'000'000);

void compose_ulid(benchmark::State &state) {
    Bytes<Ulid::kRandomSize> random{1, 2, 3, 4, 5, 6, 7, 8, 9};
    std::uint64_t position = 1ULL << 52;
    Ulid id{};
    for (auto _ : state) {
        benchmark::DoNotOptimize(random);
        benchmark::DoNotOptimize(from_position(++position, random, id));
        benchmark::DoNotOptimize(id);
    }
}
BENCHMARK(compose_ulid);

}  // namespace
}  // namespace snowid::core
