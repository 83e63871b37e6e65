// How one timeline would perform on a server larger than any we have. Each simulated core works for a while, takes an
// id, and starts again. The timeline and its policy are the real ones. Time is simulated, and so is the cache line of
// the position: one core has it at a time, and it takes time to move to another core.
//
// An id is a load of the position and a compare-and-swap. Each fetches the line if another core has had it since. A
// core whose compare-and-swap fails has the line by then and tries again at once.
#include <cmath>
#include <cstdio>
#include <queue>
#include <random>
#include <utility>
#include <vector>

#include "core/timeline/timeline.hpp"

namespace snowid::core {
namespace {

constexpr std::int64_t kLocal = 5;         // ns to access a line that the core has
constexpr std::int64_t kClock = 20;        // ns to read the clock and do the rest of an id that needs no line
constexpr std::int64_t kWakeUp = 50'000;   // ns until a sleeping core is back
constexpr std::int64_t kRun = 20'000'000;  // ns to simulate
constexpr std::int64_t kWarmUp = 5'000'000;
constexpr std::int64_t kEpoch = 1'704'067'200'000'000'000;

constexpr Layout layout_with(std::uint8_t sequence_bits) {
    return {.epoch = to_micros({kEpoch}),
            .tick_us = 1000,
            .field_count = 3,
            .time_index = 0,
            .sequence_index = 2,
            .fields = {{"time", 41, 22},
                       {"worker", static_cast<std::uint8_t>(22 - sequence_bits), sequence_bits},
                       {"sequence", sequence_bits, 0}}};
}

struct Server {
    int cores;
    int generators;
    std::int64_t work_ns;
    std::int64_t transfer_ns;
    std::uint8_t sequence_bits;
};

struct Found {
    std::int64_t ids = 0;
    std::int64_t spent_ns = 0;  // from wanting an id to having it

    double millions_a_second() const { return static_cast<double>(ids) * 1e3 / static_cast<double>(kRun - kWarmUp); }
    double ns_an_id() const { return static_cast<double>(spent_ns) / static_cast<double>(ids); }
};

// A timeline on its cache line.
struct Line {
    Timeline timeline;
    std::int64_t free_at = 0;
    int owner = -1;
};

class Simulation {
public:
    explicit Simulation(const Server &server)
        : server_(server),
          ticks_(layout_with(server.sequence_bits)),
          policy_(ClockPolicy::of(5'000'000, 2'000'000'000, 1'000'000, static_cast<std::uint64_t>(server.cores),
                                  ticks_.capacity())),
          lines_(static_cast<std::size_t>(server.generators)),
          wanted_at_(static_cast<std::size_t>(server.cores)) {}

    Found run() {
        for (int core = 0; core < server_.cores; ++core) schedule(work() % 1'000'000, core, Step::want);
        while (!events_.empty() && events_.top().at < kRun) {
            const Event event = events_.top();
            events_.pop();
            handle(event);
        }
        return found_;
    }

private:
    enum class Step { want, loaded, swapped, ask };
    struct Event {
        std::int64_t at;
        int core;
        Step step;
        bool operator<(const Event &other) const { return at > other.at; }
    };
    void schedule(std::int64_t at, int core, Step step) { events_.push({at, core, step}); }
    std::int64_t work() {
        return static_cast<std::int64_t>(-std::log1p(-uniform_(random_)) * static_cast<double>(server_.work_ns));
    }
    Line &line_of(int core) { return lines_[static_cast<std::size_t>(core % server_.generators)]; }
    std::int64_t &wanted_at(int core) { return wanted_at_[static_cast<std::size_t>(core)]; }

    // Returns when the core has accessed the line, including the time to fetch it. The first to ask gets it first.
    std::int64_t access(Line &line, int core, std::int64_t now) {
        const std::int64_t fetch = line.owner == core ? 0 : server_.transfer_ns;
        line.owner = core;
        return line.free_at = std::max(line.free_at, now) + fetch + kLocal;
    }

    void handle(const Event &event) {
        Line &line = line_of(event.core);
        switch (event.step) {
            case Step::want:
                wanted_at(event.core) = event.at;
                schedule(access(line, event.core, event.at + kClock), event.core, Step::loaded);
                break;
            case Step::loaded: schedule(access(line, event.core, event.at), event.core, Step::swapped); break;
            case Step::swapped:
            case Step::ask: take(line, event); break;
        }
    }

    void take(Line &line, const Event &event) {
        const UnixNanos now{kEpoch + 365 * 86400 * kNanosPerSecond + event.at};
        const Decision d = line.timeline.take(ticks_, policy_, line.timeline.last(), now, ticks_.end());
        const std::int64_t due = ticks_.start(d.due_tick).value - now.value;
        if (d.verdict == Verdict::make) return issued(event, event.at);
        const std::int64_t wait = std::max<std::int64_t>(due, 0) + kWakeUp;
        if (d.verdict == Verdict::wait) return issued(event, event.at + wait);
        schedule(event.at + wait, event.core, Step::ask);
    }

    void issued(const Event &event, std::int64_t at) {
        if (event.at > kWarmUp) {
            ++found_.ids;
            found_.spent_ns += at - wanted_at(event.core);
        }
        schedule(at + work(), event.core, Step::want);
    }

    Server server_;
    Ticks ticks_;
    ClockPolicy policy_;
    std::vector<Line> lines_;
    std::vector<std::int64_t> wanted_at_;
    std::priority_queue<Event> events_;
    std::mt19937_64 random_{1};
    std::uniform_real_distribution<double> uniform_{0, 1};
    Found found_;
};

// A transfer costs more the farther apart the cores are: in one socket, two, or eight.
std::int64_t transfer_ns(int cores) { return cores <= 64 ? 60 : cores <= 256 ? 100 : 200; }

void show(int cores, std::int64_t work_ns) {
    const double wanted = cores * 1e3 / static_cast<double>(work_ns + kClock + 2 * kLocal);
    std::printf("| %d | %g | %.1f |", cores, static_cast<double>(work_ns) / 1000, wanted);
    for (const auto &[bits, generators] : {std::pair{12, 1}, {14, 1}, {14, 8}, {14, 64}}) {
        const Server server{cores, generators, work_ns, transfer_ns(cores), static_cast<std::uint8_t>(bits)};
        const Found found = Simulation(server).run();
        std::printf(" %.1f | %.3g |", found.millions_a_second(), found.ns_an_id() / 1000);
    }
    std::puts("");
}

}  // namespace
}  // namespace snowid::core

int main() {
    std::puts(
        "| cores | us of work an id | wanted, million a s | `default` | us an id | `wide` | us an id |"
        " 8 generators, `wide` | us an id | 64 of them | us an id |");
    std::puts("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for (const std::int64_t work_ns : {50'000, 10'000, 2'000, 100})
        for (const int cores : {64, 128, 256, 512, 1024}) snowid::core::show(cores, work_ns);
}
