// Samples made while threads take ids, each compared with what was really taken. Also what a snapshot sees.
#include "core/safe/sample.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <set>

#include "layout/random_layout.hpp"
#include "random.hpp"
#include "threads.hpp"

namespace snowid::core {
namespace {

using test::below;

UnixNanos clock_now() {
    using namespace std::chrono;
    return {duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count()};
}

// The part of PostgreSQL's list of running transactions that we need.
class Running {
public:
    std::uint32_t begin() {
        const std::lock_guard lock(mutex_);
        running_.insert(next_);
        return next_++;
    }
    void end(std::uint32_t xid) {
        const std::lock_guard lock(mutex_);
        running_.erase(xid);
        latest_ = std::max(latest_, xid);
    }
    void snapshot(Sample &to) {
        const std::lock_guard lock(mutex_);
        to.end = latest_ + 1;
        to.count = 0;
        for (const std::uint32_t xid : running_)
            if (xid < to.end) to.running[to.count++] = xid;
    }
    std::uint32_t next() {
        const std::lock_guard lock(mutex_);
        return next_;
    }

private:
    std::mutex mutex_;
    std::set<std::uint32_t> running_;
    std::uint32_t next_ = 1000, latest_ = 999;
};

constexpr int kHolders = 4, kSamplers = 2;
constexpr std::uint32_t kDatabase = 7;

struct Shared {
    Timeline timeline;
    Running running;
    Holder rows[kHolders];
};

struct Server {
    Shared &shared;
    bool revokes = false;  // all words, however young

    UnixNanos now() const { return clock_now(); }
    std::int64_t earliest_word(std::int64_t old) const {
        std::int64_t earliest = kNotHeld;
        for (Holder &row : shared.rows)
            earliest = std::min(earliest, row.earliest_word(
                                              kDatabase, [](std::int64_t generator) { return generator == 1; },
                                              revokes ? kNotHeld : old));
        return earliest;
    }
    std::int64_t earliest_held() const {
        std::int64_t earliest = kNotHeld;
        for (const Holder &row : shared.rows)
            earliest =
                std::min(earliest, row.earliest(kDatabase, [](std::int64_t generator) { return generator == 1; }));
        return earliest;
    }
    std::span<const PreparedHolder> prepared() const { return {}; }
    std::uint32_t next_xid() const { return shared.running.next(); }
    void take_snapshot(Sample &to) const { shared.running.snapshot(to); }
};

struct Taken {
    std::uint32_t xid;
    std::uint64_t id;
};

// A session that keeps positions for its later transactions.
class Keeper {
public:
    Keeper(Shared &shared, const Ticks &ticks, Holder &row) : shared_(shared), ticks_(ticks), row_(row) {
        stretches_.begin(16, 8);
    }

    void begin_transaction() {
        const UnixNanos now = clock_now();
        stretches_.look({now.value, now});
        if (!word_.follow(stretches_.oldest_ns())) drop();
        stretches_.begin_transaction();
        if (stretches_.is_empty()) return;
        row_.hold(1, {word_.from()});
        if (!word_.stands()) drop();
    }
    std::uint64_t next() {
        if (const std::uint64_t position = stretches_.take(); position != 0) return position;
        const bool goes_on = stretches_.go_on();
        if (!goes_on) stretches_.make_room();
        if (!word_.follow(stretches_.oldest_ns())) drop();
        return goes_on && !stretches_.is_empty() ? stretches_.take() : take();
    }

private:
    std::uint64_t take() {
        const UnixNanos now = clock_now();
        const std::int64_t tick = ticks_.at(now);
        row_.hold(1, shared_.timeline.earliest_next(ticks_, tick));
        const bool is_first = stretches_.is_empty();
        if (is_first) word_.say(&row_, 1, ticks_.start(tick).value);
        const Run run = shared_.timeline.take_stretch(ticks_, ticks_.window_of(tick, ~0ULL), 9);
        if (run.count != 0) {
            stretches_.add(run, {ticks_.start(tick), ticks_.start(tick + 1)});
            return stretches_.take();
        }
        if (is_first) word_.end();
        const ClockPolicy any{.wait_ticks = 0, .drift_ticks = INT64_MAX / 2};
        return shared_.timeline.take(ticks_, any, shared_.timeline.last(), now, ~0ULL).position;
    }
    void drop() {
        stretches_.drop();
        word_.end();
    }

    Shared &shared_;
    const Ticks &ticks_;
    Holder &row_;
    Stretches stretches_;
    OwnWord word_;
};

std::vector<Taken> hold_and_take(Shared &shared, const Ticks &ticks, int number, int transactions) {
    std::vector<Taken> all;
    Holder &row = shared.rows[number];
    row.belong_to(kDatabase);
    Keeper keeper(shared, ticks, row);
    for (int i = 0; i < transactions; ++i) {
        const std::uint32_t xid = shared.running.begin();
        if (number % 2 == 0) keeper.begin_transaction();
        for (int n = 0; n <= i % 3; ++n) {
            if (number % 2 == 0) {
                all.push_back({xid, keeper.next()});
                continue;
            }
            const UnixNanos now = clock_now();
            row.hold(1, shared.timeline.earliest_next(ticks, ticks.at(now)));
            const Decision d = shared.timeline.take(ticks, {.wait_ticks = 0, .drift_ticks = INT64_MAX / 2},
                                                    shared.timeline.last(), now, ~0ULL);
            all.push_back({xid, d.position});
        }
        shared.running.end(xid);
        row.let_go();
    }
    return all;
}

struct Kept {
    std::uint64_t safe_horizon;
    std::uint32_t end;
    std::set<std::uint32_t> running;
};

TEST(Sample, CoversNoIdOfATransactionThatRuns) {
    const Ticks ticks(test::layout_of("epoch=2024-01-01,tick=1ms,time=41,worker=10,sequence=12"));
    const auto shared = std::make_unique<Shared>();
    shared->timeline.rewind_to(ticks.floor(ticks.at(clock_now())));
    std::vector<Taken> taken[kHolders];
    std::vector<Kept> kept[kSamplers];
    std::atomic<int> holding{kHolders};
    test::in_threads(kHolders + kSamplers, [&](int i) {
        if (i < kHolders) {
            taken[i] = hold_and_take(*shared, ticks, i, 4000);
            --holding;
            return;
        }
        std::uint32_t memory[64];
        Server server{*shared};
        while (holding > 0) {
            Sample sample{0, 0, 0, memory};
            server.revokes = kept[i - kHolders].size() % 4 == 0;
            make_sample(sample, shared->timeline, ticks, server);
            kept[i - kHolders].push_back({sample.safe_horizon, sample.end, {memory, memory + sample.count}});
        }
    });
    std::vector<Taken> all;
    for (const auto &some : taken) all.insert(all.end(), some.begin(), some.end());
    std::sort(all.begin(), all.end(), [](const Taken &a, const Taken &b) { return a.id < b.id; });
    for (const auto &samples : kept)
        for (std::size_t s = 0; s < samples.size(); s += 1 + samples.size() / 2000)
            for (const Taken &t : all) {
                if (t.id >= samples[s].safe_horizon) break;
                ASSERT_TRUE(t.xid < samples[s].end && !samples[s].running.contains(t.xid)) << t.id << " of " << t.xid;
            }
}

// Half of all numbers precede any given number, even where they wrap around.
TEST(Finished, SeesAllIfAndOnlyIfNothingRunsThatWasFinished) {
    std::mt19937_64 random = test::seeded_random();
    int seen = 0;
    for (int round = 0; round < 200'000; ++round) {
        const auto base = static_cast<std::uint32_t>(random());
        const auto some = [&](std::uint32_t &end) {
            end = base + static_cast<std::uint32_t>(below(random, 8));
            std::vector<std::uint32_t> running;
            for (std::uint32_t xid = base - 4; precedes(xid, end); ++xid)
                if (xid + 1 != end && below(random, 4) == 0) running.push_back(xid);  // the last one is finished
            return running;
        };
        std::uint32_t end_a = 0, end_b = 0;
        const std::vector<std::uint32_t> a = some(end_a);
        std::vector<std::uint32_t> b = some(end_b);
        bool all = true;
        for (std::uint32_t xid = base - 8; precedes(xid, base + 8); ++xid) {
            const auto is_in = [&](const auto &list) { return std::find(list.begin(), list.end(), xid) != list.end(); };
            if (precedes(xid, end_b) && !is_in(b)) all = all && precedes(xid, end_a) && !is_in(a);
        }
        std::sort(b.begin(), b.end());
        ASSERT_EQ(sees_all({end_a, a}, {end_b, b}), all) << base;
        seen += all;
    }
    EXPECT_GT(seen, 1000);
}

TEST(Finished, KnowsWhichNumberIsLeftOfATransactionLongAgo) {
    const std::vector<std::uint32_t> running{5};
    const Finished snapshot{10, running};
    EXPECT_TRUE(is_running(snapshot, 5, 12));
    EXPECT_FALSE(is_running(snapshot, 6, 12));
    EXPECT_TRUE(is_running(snapshot, 11, 12));
    EXPECT_FALSE(is_running(snapshot, 12, 12));
    EXPECT_FALSE(is_running(snapshot, 0x7FFF'FFFF, 12));
    EXPECT_EQ(whole_xid(11, 0x5'0000'000C), 0x5'0000'000BU);
    EXPECT_EQ(whole_xid(0xFFFF'FFFF, 0x5'0000'000C), 0x4'FFFF'FFFFU);
}

}  // namespace
}  // namespace snowid::core
