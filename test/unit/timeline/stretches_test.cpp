// The stretches of sessions beside a plain twin of them, under random and hostile times; and what they are for: the
// pages of an index that sessions share, and callers of T_next() who do not wait for them.
#include "core/timeline/stretches.hpp"

#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <map>
#include <optional>
#include <queue>
#include <set>

#include "layout/random_layout.hpp"
#include "random.hpp"

namespace snowid::core {
namespace {

using test::below;

constexpr std::int64_t kMs = kNanosPerMilli;

// What a session may use and in which order, as sets of positions.
class Twin {
public:
    void begin_transaction() {
        last_.reset();
        has_taken_ = false;
    }
    void add(const Run &run) {
        std::erase_if(all_, [](const Passes &p) { return p[0].empty() && p[1].empty(); });
        const bool two = run.count >= Stretches::kTwoPasses && !has_taken_;
        Passes &added = all_.emplace_back();
        for (std::uint64_t i = 0; i < run.count; ++i) added[two ? i % 2 : 0].insert(run.first + i);
        has_taken_ = true;
    }
    // The lowest position that is in its order, and above all that this transaction has used.
    std::uint64_t take() {
        Pass *best = nullptr;
        for (Passes &passes : all_) {
            Pass &pass = passes[passes[0].empty() ? 1 : 0];
            if (pass.empty() || (last_ && *pass.begin() < *last_)) continue;
            if (best == nullptr || *pass.begin() < *best->begin()) best = &pass;
        }
        if (best == nullptr) return 0;
        last_ = *best->begin();
        best->erase(best->begin());
        return *last_;
    }
    void note_alone(std::uint64_t position) { last_ = position; }
    void drop(std::uint64_t first, std::uint64_t past) {
        for (Passes &passes : all_)
            for (Pass &pass : passes) pass.erase(pass.lower_bound(first), pass.lower_bound(past));
    }
    std::uint64_t left() const {
        std::uint64_t left = 0;
        for (const Passes &passes : all_) left += passes[0].size() + passes[1].size();
        return left;
    }

private:
    using Pass = std::set<std::uint64_t>;
    using Passes = std::array<Pass, 2>;
    std::vector<Passes> all_;
    std::optional<std::uint64_t> last_;
    bool has_taken_ = false;
};

// A session and its clock. Laws are checked at every step.
class Session {
public:
    Session(std::mt19937_64 &random, std::uint64_t longest) : random_(random), longest_(longest) {
        stretches_.begin(longest);
    }

    void begin_transaction() {
        look();
        stretches_.begin_transaction();
        twin_.begin_transaction();
        last_ = 0;
    }

    void next(std::uint64_t &timeline) {
        if (elapsed_ - looked_ >= kMs) look();
        std::uint64_t position = stretches_.take();
        if (position == 0 && stretches_.go_on()) position = stretches_.take();
        ASSERT_EQ(position, twin_.take());
        if (position == 0) position = take_more(timeline);
        ASSERT_GT(position, last_) << "within a transaction";
        last_ = position;
        ++used;
        made_.push_back(elapsed_);
        ASSERT_TRUE(positions_.insert(position).second) << "twice";
        check();
    }

    // Time passes, and someone may set the clock.
    void pass(std::int64_t ns, std::int64_t clock_ns) {
        elapsed_ += ns;
        now_ += ns + clock_ns;
    }
    void drop() {
        lost += stretches_.drop();
        twin_.drop(0, UINT64_MAX);
        taken_.clear();
        check();
    }
    std::uint64_t used = 0, lost = 0, alone = 0;
    std::uint64_t kept() const { return stretches_.left(); }

private:
    struct Taken {
        std::int64_t elapsed;
        std::int64_t end;
    };

    void look() {
        looked_ = elapsed_;
        const std::uint64_t left = twin_.left();
        const std::uint64_t aged = stretches_.look({elapsed_, {now_}});
        for (auto at = taken_.begin(); at != taken_.end();) {
            const bool is_old = elapsed_ - at->second.elapsed >= 63 * kMs || now_ - at->second.end >= 63 * kMs;
            if (is_old) twin_.drop(at->first.first, at->first.second);
            at = is_old ? taken_.erase(at) : std::next(at);
        }
        EXPECT_EQ(left - twin_.left(), aged);
        lost += aged;
    }

    std::uint64_t take_more(std::uint64_t &timeline) {
        const std::uint64_t left = twin_.left(), dropped = stretches_.make_room();
        lost += dropped;
        if (dropped > 0) drop_lower();
        EXPECT_EQ(left - twin_.left(), dropped);
        const std::uint64_t want = stretches_.wanted();
        EXPECT_LE(want, longest_);
        if (made_lately() < 64) {
            EXPECT_EQ(want, 1U);
        }
        timeline += 1 + below(random_, 3);  // others take some
        if (want == 1) {
            stretches_.count_alone();
            ++alone;
            taken_total_ += 1;
            twin_.note_alone(timeline);
            return timeline++;
        }
        const Run run{timeline, 1 + below(random_, want)};
        const UnixNanos end{now_ - now_ % kMs + kMs};
        stretches_.add(run, {{end.value - kMs}, end});
        twin_.add(run);
        timeline += run.count;
        taken_total_ += run.count;
        taken_[{run.first, run.first + run.count}] = {looked_, end.value};
        const std::uint64_t position = stretches_.take();
        EXPECT_EQ(position, twin_.take());
        return position;
    }
    void drop_lower() {
        for (auto at = taken_.begin(); at != taken_.end(); ++at) {
            const std::uint64_t before = twin_.left();
            twin_.drop(at->first.first, at->first.second);
            if (twin_.left() == before) continue;
            taken_.erase(at);
            return;
        }
    }
    // In the running window and the one before.
    std::size_t made_lately() {
        const std::int64_t since = (looked_ / Stretches::kLongestNs - 1) * Stretches::kLongestNs;
        while (!made_.empty() && made_.front() < since) made_.pop_front();
        return made_.size();
    }

    void check() {
        const std::uint64_t left = stretches_.left();
        if (lost + left != 0) {
            ASSERT_LT(lost + left, used) << "even if all that is left is lost";
        }
        ASSERT_EQ(taken_total_, used + lost + left);
    }

    std::mt19937_64 &random_;
    const std::uint64_t longest_;
    Stretches stretches_;
    Twin twin_;
    std::set<std::uint64_t> positions_;
    std::map<std::pair<std::uint64_t, std::uint64_t>, Taken> taken_;
    std::deque<std::int64_t> made_;
    std::int64_t elapsed_ = kMs * 1'000'000, looked_ = 0, now_ = to_nanos(test::kNow).value;
    std::uint64_t taken_total_ = 0, last_ = 0;
};

TEST(Stretches, AreThoseOfTheTwinWhateverTheTime) {
    std::mt19937_64 random = test::seeded_random();
    std::uint64_t used = 0, lost = 0, alone = 0;
    for (int round = 0; round < 40; ++round) {
        Session session(random, round % 3 == 0 ? 1024 : 1 + below(random, 4096));
        std::uint64_t timeline = 1000;
        const std::uint64_t rows = 1 + below(random, 3000), pace_us = 1 + below(random, 200);
        const bool is_hostile = round % 2 == 0;
        const std::uint64_t drop_share = 2ULL << below(random, 11);  // of ids after which everything is dropped
        for (int transaction = 0; transaction < 40; ++transaction) {
            session.begin_transaction();
            for (std::uint64_t i = 1 + below(random, rows); i > 0; --i) {
                ASSERT_NO_FATAL_FAILURE(session.next(timeline)) << "round " << round;
                session.pass(static_cast<std::int64_t>(below(random, 2 * pace_us) * 1000), 0);
                if (is_hostile && below(random, drop_share) == 0) session.drop();
                if (!is_hostile || below(random, 400) != 0) continue;
                session.pass(static_cast<std::int64_t>(below(random, 200)) * kMs,
                             (static_cast<std::int64_t>(below(random, 4001)) - 2000) * kMs);
            }
            if (below(random, 8) == 0) session.pass(static_cast<std::int64_t>(below(random, 100)) * kMs, 0);
        }
        used += session.used;
        lost += session.lost;
        alone += session.alone;
    }
    EXPECT_GT(used - alone, used / 2);
    std::cout << used << " used, " << alone << " of them alone, " << lost << " lost\n";
}

TEST(Stretches, AreAtMostAQuarterOfATick) {
    const std::pair<std::uint64_t, std::uint64_t> of[] = {{1, 1},        {7, 1},       {8, 2},       {128, 32},
                                                          {256, 64},     {1024, 256},  {4096, 1024}, {8192, 1024},
                                                          {16384, 4096}, {65536, 4096}};
    for (const auto &[capacity, longest] : of) EXPECT_EQ(Stretches::longest_of(capacity), longest) << capacity;
}

// A timeline in the hands of many sessions, each of which makes an id at times of its own. Times in microseconds.
class Sessions {
public:
    struct Want {
        int sessions;
        double us_per_row;
        int rows;  // of a transaction
        double us_between = 0;
        bool is_strict = false;  // T_next()
    };

    Sessions(std::mt19937_64 &random, const Want &want) : random_(random), want_(want), sessions_(want.sessions) {
        for (int i = 0; i < want.sessions; ++i)
            next_.push({1e-3 * static_cast<double>(below(random, 1000)) * want.us_per_row, i});
        for (auto &s : sessions_) s.stretches.begin(1024);
    }

    // Calls made(session, position) for each of the next ids, and before that called(now), at which others may come.
    template <typename Called, typename Made>
    void run(int ids, const Called &called, const Made &made) {
        for (int n = 0; n < ids; ++n) {
            const auto [us, i] = next_.top();
            next_.pop();
            called(us);
            One &one = sessions_[static_cast<std::size_t>(i)];
            double waited_us = 0;
            made(i, take(one, us, waited_us));
            ++one.row;
            const double rest = one.row % want_.rows == 0 ? want_.us_between : 0;
            next_.push(
                {us + waited_us + (want_.us_per_row + rest) * (0.5 + 1e-3 * static_cast<double>(below(random_, 1000))),
                 i});
        }
    }

    // A position as T_next() takes it, and how long it waits for its tick.
    std::uint64_t take_alone(double us, double &waited_us) {
        const UnixNanos now = at(us);
        const Decision d =
            timeline_.take(ticks_, {.wait_ticks = 100, .drift_ticks = 1000}, timeline_.last(), now, ~0ULL);
        waited_us =
            d.ahead > 0 ? 1e-3 * static_cast<double>(ticks_.start(ticks_.tick_of(d.position)).value - now.value) : 0;
        return d.position;
    }

    std::uint64_t lost = 0;

private:
    struct One {
        Stretches stretches;
        int row = 0;
        std::int64_t looked_ms = -1;
    };

    static UnixNanos at(double us) { return {to_nanos(test::kNow).value + static_cast<std::int64_t>(us * 1000)}; }

    std::uint64_t take(One &one, double us, double &waited_us) {
        if (want_.is_strict) return take_alone(us, waited_us);
        const UnixNanos now = at(us);
        const Stretches::Moment moment{now.value, now};
        if (std::exchange(one.looked_ms, now.value / kMs) != now.value / kMs) lost += one.stretches.look(moment);
        if (one.row % want_.rows == 0) one.stretches.begin_transaction();
        std::uint64_t position = one.stretches.take();
        if (position == 0 && one.stretches.go_on()) position = one.stretches.take();
        if (position != 0) return position;
        lost += one.stretches.make_room();
        const std::uint64_t wanted = one.stretches.wanted();
        if (wanted > 1) {
            const std::int64_t tick = ticks_.at(now);
            const Run run = timeline_.take_stretch(ticks_, ticks_.window_of(tick, ~0ULL), wanted);
            if (run.count > 0) {
                one.stretches.add(run, {ticks_.start(tick), ticks_.start(tick + 1)});
                return one.stretches.take();
            }
        }
        one.stretches.count_alone();
        return take_alone(us, waited_us);
    }

    std::mt19937_64 &random_;
    const Want want_;
    const Ticks ticks_{test::layout_of("epoch=2024-01-01,tick=1ms,time=41,worker=10,sequence=12")};
    Timeline timeline_;
    std::vector<One> sessions_;
    std::priority_queue<std::pair<double, int>, std::vector<std::pair<double, int>>, std::greater<>> next_;
};

// The leaves of a B-tree of one column, as PostgreSQL splits them: the rightmost at nine tenths, others in the middle.
class Leaves {
public:
    explicit Leaves(std::size_t item) : room_(8152 / item) { leaves_[0]; }

    void insert(std::uint64_t key) {
        const auto leaf = std::prev(leaves_.upper_bound(key));
        const bool is_last = std::next(leaf) == leaves_.end();
        std::vector<std::uint64_t> &keys = leaf->second;
        keys.insert(std::upper_bound(keys.begin(), keys.end(), key), key);
        if (keys.size() < room_) return;
        const auto at = static_cast<std::ptrdiff_t>(is_last ? keys.size() * 9 / 10 : keys.size() / 2);
        leaves_[keys[static_cast<std::size_t>(at)]] = {keys.begin() + at, keys.end()};
        keys.resize(static_cast<std::size_t>(at));
    }
    double bytes_per(int rows) const { return 8192.0 * static_cast<double>(leaves_.size()) / rows; }

private:
    std::size_t room_;
    std::map<std::uint64_t, std::vector<std::uint64_t>> leaves_;
};

struct Index {
    double bytes;  // of a row
    std::uint64_t lost;
};

Index index_of(const Sessions::Want &want, std::size_t item, int rows) {
    std::mt19937_64 random = test::seeded_random();
    Sessions sessions(random, want);
    Leaves leaves(item);
    sessions.run(
        rows, [](double) {}, [&](int, std::uint64_t position) { leaves.insert(position); });
    return {leaves.bytes_per(rows), sessions.lost};
}

constexpr std::size_t kBigint = 20, kUuid = 28;  // of a leaf
constexpr int kRows = 300'000;

TEST(Stretches, FillTheLeavesOfAnIndex) {
    EXPECT_LE(index_of({16, 10, 100, 30}, kBigint, kRows).bytes, 26);
    EXPECT_LE(index_of({16, 10, 100, 30}, kUuid, kRows).bytes, 36);
    EXPECT_LE(index_of({16, 10, 1, 30}, kBigint, kRows).bytes, 32);
    EXPECT_LE(index_of({16, 10, 100, 30, true}, kBigint, kRows).bytes, 23);
}

TEST(Stretches, AreNotForSessionsThatMakeFewIds) {
    for (const int rows : {1, 3}) {
        const Index index = index_of({500, 1, rows, 50'000}, kBigint, kRows);
        EXPECT_EQ(index.lost, 0U);
        EXPECT_LE(index.bytes, 23);
    }
}

// 1.6 million ids a second. The last quarter of a tick is left to those who want one.
TEST(Stretches, KeepNobodyWaitingWhoWantsOneId) {
    std::mt19937_64 random = test::seeded_random();
    int waits[2] = {};
    for (const bool is_strict : {false, true}) {
        Sessions sessions(random, {16, 10, 100, 0, is_strict});
        double next_us = 0;
        sessions.run(
            1'000'000,
            [&](double us) {
                for (; next_us < us; next_us += 100) {
                    double waited_us = 0;
                    sessions.take_alone(next_us, waited_us);
                    waits[is_strict] += waited_us > 0;
                }
            },
            [](int, std::uint64_t) {});
    }
    EXPECT_LE(waits[false], waits[true]);
}

}  // namespace
}  // namespace snowid::core
