// The cost of a position, a count and an id, for one caller and for two that share the state. It includes reading the
// clock; clock_only shows how much that is.
#include <benchmark/benchmark.h>

#include <ctime>

#include "core/id/ksuid.hpp"
#include "core/id/objectid.hpp"
#include "core/id/rsxid.hpp"
#include "core/id/sandflake.hpp"
#include "core/id/ulid.hpp"
#include "core/id/uuid7.hpp"
#include "core/timeline/random_timeline.hpp"
#include "core/timeline/second_counter.hpp"
#include "core/timeline/timeline.hpp"

namespace snowid::core {
namespace {

UnixNanos read_clock() {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    return {now.tv_sec * kNanosPerSecond + now.tv_nsec};
}

// More ids a tick than anyone can take, so nothing waits.
constexpr Layout kRoomy{.epoch = {1'704'067'200'000'000},
                        .tick_us = 1000,
                        .field_count = 2,
                        .time_index = 0,
                        .sequence_index = 1,
                        .fields = {{"time", 41, 22}, {"sequence", 22, 0}}};
constexpr Ticks kTicks(kRoomy);
constexpr std::int64_t kNoDrift = INT64_MAX / 4;
constexpr std::int64_t kDriftNs = 2'000'000'000;

void clock_only(benchmark::State &state) {
    for (auto _ : state) benchmark::DoNotOptimize(read_clock());
}
BENCHMARK(clock_only)->Threads(1)->Threads(2);

Timeline timeline;

void timeline_next(benchmark::State &state) {
    TickWindow tick;
    for (auto _ : state) {
        if (const UnixNanos now = read_clock(); now >= tick.end) tick = kTicks.window(now, kTicks.end());
        benchmark::DoNotOptimize(timeline.take_now(tick));
    }
}
BENCHMARK(timeline_next)->Threads(1)->Threads(2);

void timeline_next_of_batch(benchmark::State &state) {
    Run run{0, 0};
    for (auto _ : state) {
        if (run.count == 0) run = timeline.take_run(kTicks, kTicks.window(read_clock(), kTicks.end()), 64);
        --run.count;
        benchmark::DoNotOptimize(run.first++);
    }
}
BENCHMARK(timeline_next_of_batch)->Threads(1)->Threads(2);

RandomTimeline random_timeline;

void random_timeline_next(benchmark::State &state) {
    for (auto _ : state) benchmark::DoNotOptimize(random_timeline.take_now(read_clock(), kNoDrift));
}
BENCHMARK(random_timeline_next)->Threads(1)->Threads(2);

SecondCounter counter;

// Few enough iterations that a second is never used up.
void second_counter_next(benchmark::State &state) {
    std::int64_t waits = 0;
    for (auto _ : state) waits += counter.take(read_clock, kDriftNs).verdict == Verdict::wait;
    state.counters["waits"] = static_cast<double>(waits);
}
BENCHMARK(second_counter_next)->Threads(1)->Threads(2)->Iterations(1'000'000);

constexpr std::uint64_t kPosition = 7'000'000'000'000'000;  // in 2024

template <typename Id>
void compose_from_position(benchmark::State &state) {
    Bytes<Id::kRandomSize> random{1, 2, 3};
    std::uint64_t position = kPosition;
    Id id{};
    for (auto _ : state) {
        benchmark::DoNotOptimize(random);
        benchmark::DoNotOptimize(from_position(++position, random, id));
        benchmark::DoNotOptimize(id);
    }
}
BENCHMARK_TEMPLATE(compose_from_position, Uuid7);
BENCHMARK_TEMPLATE(compose_from_position, Ulid);
BENCHMARK_TEMPLATE(compose_from_position, Ksuid);

void compose_sandflake(benchmark::State &state) {
    Bytes<Sandflake::kWorkerSize> worker{1, 2, 3, 4};
    Bytes<Sandflake::kRandomSize> random{1, 2, 3};
    std::uint64_t position = kPosition;
    Sandflake id{};
    for (auto _ : state) {
        benchmark::DoNotOptimize(random);
        benchmark::DoNotOptimize(from_position(++position, worker, random, id));
        benchmark::DoNotOptimize(id);
    }
}
BENCHMARK(compose_sandflake);

template <typename Part>
void compose_counted(benchmark::State &state, Part part) {
    UnixMicros t{1'750'000'000'000'000};
    std::int64_t count = 0;
    for (auto _ : state) {
        ++t.value;
        part(t, ++count & ObjectId::kMaxCounter);
    }
}

void compose_objectid(benchmark::State &state) {
    const Bytes<ObjectId::kRandomSize> random{1, 2, 3, 4, 5};
    ObjectId id{};
    compose_counted(state, [&](UnixMicros t, std::int64_t count) {
        benchmark::DoNotOptimize(compose(t, random, count, id));
        benchmark::DoNotOptimize(id);
    });
}
BENCHMARK(compose_objectid);

void compose_rsxid(benchmark::State &state) {
    const Bytes<Rsxid::kMachineSize> machine{1, 2, 3};
    Rsxid id{};
    compose_counted(state, [&](UnixMicros t, std::int64_t count) {
        benchmark::DoNotOptimize(compose(t, machine, 4711, count, id));
        benchmark::DoNotOptimize(id);
    });
}
BENCHMARK(compose_rsxid);

void compose_snowflake(benchmark::State &state) {
    std::int64_t tick = 1;
    for (auto _ : state) {
        benchmark::DoNotOptimize(++tick);
        benchmark::DoNotOptimize(kRoomy.compose(tick, 0, 5));
    }
}
BENCHMARK(compose_snowflake);

}  // namespace
}  // namespace snowid::core
