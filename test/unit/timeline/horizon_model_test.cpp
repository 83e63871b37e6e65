// A model of the protocol of the horizon. Threads stand for backends. Pages hold the rows of several databases, and the
// part of their history that has reached the disk. The server crashes at any step. The steps are those of the server,
// and use the core's own parts. The model must catch each way of breaking the protocol.
#include <gtest/gtest.h>

#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "core/timeline/horizon.hpp"
#include "core/timeline/timeline.hpp"
#include "layout/random_layout.hpp"
#include "random.hpp"

namespace snowid::core {
namespace {

using test::below;

enum class HorizonFault : std::uint8_t {
    nothing,
    publish_before_flush,  // a backend uses the limit before the row is durable
    trust_high_page,       // a backend that finds the row high enough does not flush
    one_database,          // a start reads only one database
    start_at_clock,        // a start reads nothing
};

constexpr int kDatabases = 3, kBackends = 4;
constexpr std::int64_t kMs = millis(1), kAhead = millis(20);

struct Page {
    std::mutex lock;
    std::int64_t horizon = 0;
    std::uint64_t lsn = 0;
};

// Writes up to `flushed` are durable. It does not move after a crash.
class Wal {
public:
    std::uint64_t append(int database, std::int64_t horizon) {
        const std::lock_guard guard(lock_);
        records_.push_back({database, horizon});
        return records_.size();
    }
    bool flush(std::uint64_t lsn) {
        const std::lock_guard guard(lock_);
        if (crashed_) return false;
        flushed_ = std::max(flushed_, lsn);
        return true;
    }
    void crash() {
        const std::lock_guard guard(lock_);
        crashed_ = true;
    }
    void recover(std::int64_t (&durable)[kDatabases]) const {
        for (std::uint64_t i = 0; i < flushed_; ++i) durable[records_[i].database] = records_[i].horizon;
    }

private:
    struct Record {
        int database;
        std::int64_t horizon;
    };
    std::mutex lock_;
    std::vector<Record> records_;
    std::uint64_t flushed_ = 0;
    bool crashed_ = false;
};

struct Server {
    Server(const Ticks &ticks_, HorizonFault broken_, std::atomic<std::int64_t> &clock_,
           const std::int64_t (&durable)[kDatabases], int steps)
        : ticks(ticks_), broken(broken_), clock(clock_), steps_left(steps) {
        std::int64_t start = 0;
        for (int i = 0; i < kDatabases; ++i) {
            pages[i].horizon = durable[i];
            if (broken != HorizonFault::start_at_clock && (i == 0 || broken != HorizonFault::one_database))
                start = std::max(start, durable[i]);
        }
        timeline.advance_to(start_after(ticks, {start}));
    }

    // Counts a step. Returns false once the server has crashed.
    bool step(std::mt19937_64 &random) {
        if (below(random, 8) == 0) std::this_thread::yield();
        const int left = steps_left.fetch_sub(1, std::memory_order_relaxed);
        if (left == 1) wal.crash();
        return left > 1;
    }

    const Ticks &ticks;
    const HorizonFault broken;
    std::atomic<std::int64_t> &clock;
    std::atomic<int> steps_left;
    Timeline timeline;
    Page pages[kDatabases];
    Wal wal;
};

class Backend {
public:
    Backend(Server &server, int database, std::uint64_t seed) : s_(server), database_(database), random_(seed) {}

    void run() {
        while (s_.step(random_)) {
            move_clock();
            const std::uint64_t seen = s_.timeline.last();
            const UnixNanos now{s_.clock.load(std::memory_order_relaxed)};
            const Decision d = s_.timeline.take(s_.ticks, kPolicy, seen, now, limit_);
            if (d.verdict == Verdict::at_limit && !extend(d.position, true)) return;
            if (d.verdict == Verdict::full || d.verdict == Verdict::refuse) s_.clock.fetch_add(kMs);
            if (d.verdict != Verdict::make && d.verdict != Verdict::wait) continue;
            if (d.position >= soft_limit_ && !extend(d.position, false)) return;
            ids.push_back(d.position);
        }
    }

    std::vector<std::uint64_t> ids;

private:
    static constexpr ClockPolicy kPolicy{.wait_ticks = 2, .drift_ticks = 200};

    void move_clock() {
        switch (below(random_, 200)) {
            case 0: s_.clock.fetch_sub(static_cast<std::int64_t>(below(random_, 60 * kMs))); break;
            case 1: s_.clock.fetch_add(static_cast<std::int64_t>(below(random_, 60 * kMs))); break;
            default: s_.clock.fetch_add(static_cast<std::int64_t>(below(random_, kMs / 2)));
        }
    }

    // Advances a row for others together with its own. Nobody flushes it until someone relies on it.
    void advance_for_others() {
        const auto database = static_cast<int>(below(random_, kDatabases));
        Page &page = s_.pages[database];
        const std::unique_lock lock(page.lock, std::try_to_lock);
        if (!lock.owns_lock()) return;
        const UnixNanos now{s_.clock.load(std::memory_order_relaxed)};
        const std::int64_t target =
            horizon_goal(now, s_.ticks.end_of(s_.timeline.last()), horizon_margin_ns(s_.ticks), kAhead).target.value;
        if (page.horizon >= target) return;
        page.horizon = target;
        page.lsn = s_.wal.append(database, target);
    }

    struct Advanced {
        std::int64_t horizon = 0;  // 0: there is nothing to rely on
        std::uint64_t lsn = 0;
        bool by_others = false;
    };

    // Returns false if the server has crashed. At the soft limit the row is only written, and relied on later.
    bool extend(std::uint64_t position, bool patient) {
        if (advanced_.horizon != 0) return rely_on_advance(position);
        const UnixNanos now{s_.clock.load(std::memory_order_relaxed)};
        soft_limit_ = halfway(position, limit_);
        const HorizonGoal goal = horizon_goal(now, s_.ticks.end_of(position), horizon_margin_ns(s_.ticks), kAhead);
        if (below(random_, 4) == 0) advance_for_others();
        Page &page = s_.pages[database_];
        std::unique_lock lock(page.lock, std::defer_lock);
        if (patient)
            lock.lock();
        else if (!lock.try_lock())
            return true;
        if (!s_.step(random_)) return false;
        std::int64_t horizon = page.horizon;
        std::uint64_t lsn = page.lsn;
        const bool high_enough = horizon >= goal.enough.value;
        if (!high_enough) page.horizon = horizon = goal.target.value;
        if (!high_enough) page.lsn = lsn = s_.wal.append(database_, horizon);
        lock.unlock();
        advanced_ = {horizon, lsn, high_enough};
        if (!s_.step(random_)) return false;
        return !patient || rely_on_advance(position);
    }

    bool rely_on_advance(std::uint64_t position) {
        const Advanced advanced = std::exchange(advanced_, {});
        // A flush takes time, and other backends run meanwhile.
        for (std::uint64_t i = below(random_, 4) == 0 ? below(random_, 60) : 0; i > 0; --i) {
            std::this_thread::yield();
            if (!s_.step(random_)) return false;
        }
        const bool flushes_late = s_.broken == HorizonFault::publish_before_flush && below(random_, 4) != 0;
        const bool trusts = s_.broken == HorizonFault::trust_high_page && advanced.by_others;
        if (!flushes_late && !trusts && !s_.wal.flush(advanced.lsn)) return false;
        limit_ = std::max(limit_, limit_of(s_.ticks, {advanced.horizon}));
        const std::int64_t left = advanced.horizon - due_ns(kAhead) - s_.clock.load(std::memory_order_relaxed);
        soft_limit_ = soft_limit(position, limit_, s_.ticks.positions_in(std::clamp(left, std::int64_t{0}, kAhead)));
        return s_.step(random_);
    }

    Server &s_;
    int database_;
    std::mt19937_64 random_;
    std::uint64_t limit_ = 0, soft_limit_ = 0;
    Advanced advanced_;
};

struct HorizonOutcome {
    std::size_t incarnations;
    std::size_t ids;
    std::size_t duplicates;
};

HorizonOutcome run(HorizonFault broken, int incarnations, std::mt19937_64 &random) {
    const Ticks ticks(test::layout_of("epoch=2024-01-01,tick=1ms,time=41,worker=8,sequence=4"));
    std::atomic<std::int64_t> clock{1'767'225'600'000 * kMs};
    std::int64_t durable[kDatabases] = {};
    std::vector<std::uint64_t> all;
    HorizonOutcome outcome{};
    const auto count_duplicates = [&] {
        std::sort(all.begin(), all.end());
        return static_cast<std::size_t>(all.end() - std::unique(all.begin(), all.end()));
    };
    for (int i = 0; i < incarnations; ++i) {
        Server server(ticks, broken, clock, durable, 50 + static_cast<int>(below(random, 2000)));
        std::vector<Backend> backends;
        backends.reserve(kBackends);
        for (int b = 0; b < kBackends; ++b)
            backends.emplace_back(server, static_cast<int>(below(random, kDatabases)), random());
        {
            std::vector<std::jthread> threads;
            for (Backend &backend : backends) threads.emplace_back([&backend] { backend.run(); });
        }
        for (const Backend &backend : backends) all.insert(all.end(), backend.ids.begin(), backend.ids.end());
        server.wal.recover(durable);
        clock.fetch_sub(static_cast<std::int64_t>(below(random, 80 * kMs)));
        ++outcome.incarnations;
        if (broken == HorizonFault::nothing || i % 50 != 49) continue;
        if (const std::size_t before = all.size(); count_duplicates() > 0) {
            all.resize(before);
            return {outcome.incarnations, before, 1};
        }
    }
    outcome.ids = all.size();
    outcome.duplicates = count_duplicates();
    return outcome;
}

// The thread sanitizer looks at the threads of each incarnation, of which a few hundred are enough for it.
#ifdef __SANITIZE_THREAD__
constexpr int kIncarnations = 300;
#else
constexpr int kIncarnations = 3000;
#endif

TEST(HorizonModel, NeverRepeatsAnIdAfterThousandsOfCrashes) {
    std::mt19937_64 random = test::seeded_random();
    const HorizonOutcome outcome = run(HorizonFault::nothing, kIncarnations, random);
    EXPECT_EQ(outcome.duplicates, 0u) << "of " << outcome.ids << " ids in " << outcome.incarnations << " incarnations";
    EXPECT_GT(outcome.ids, 33u * kIncarnations);
}

class BrokenHorizon : public testing::TestWithParam<HorizonFault> {};

TEST_P(BrokenHorizon, IsCaught) {
    std::mt19937_64 random = test::seeded_random();
    const HorizonOutcome outcome = run(GetParam(), 20'000, random);
    EXPECT_GT(outcome.duplicates, 0u) << "in " << outcome.ids << " ids of " << outcome.incarnations << " incarnations";
    std::cout << "caught after " << outcome.incarnations << " incarnations at most\n";
}

INSTANTIATE_TEST_SUITE_P(HorizonModel, BrokenHorizon,
                         testing::Values(HorizonFault::publish_before_flush, HorizonFault::trust_high_page,
                                         HorizonFault::one_database, HorizonFault::start_at_clock));

}  // namespace
}  // namespace snowid::core
