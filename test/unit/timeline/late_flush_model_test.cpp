// Can the record that advances a horizon wait for the flush of the commit? A model of an INSERT whose id lies above
// what is durable, beside a session that reads the row, a walsender and the WAL writer: all orders of their steps, with
// a crash after each. The law: an id that has left the server is not made again.
//
// A statement that lets nothing out before its commit is durable keeps the law. Every other kind breaks it, and a
// default cannot tell which kind it is part of. So the server flushes first, which keeps the law for all kinds.
//
// How long before? A second model has a standby that lags by less than half of the reserve, and takes over.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "core/timeline/horizon.hpp"
#include "core/timeline/timeline.hpp"
#include "layout/random_layout.hpp"
#include "random.hpp"

namespace snowid::core {
namespace {

enum class Deed : std::uint8_t {
    advance,  // writes the row of the horizon to the WAL
    take,     // takes the id, and puts it into a row
    commit,   // writes the commit to the WAL
    flush,    // makes durable what the WAL has
    show,     // lets other sessions see the row
    tell,     // lets the id out: to a client, a foreign server, the log
};
using enum Deed;
using Deeds = std::vector<Deed>;

struct Statement {
    const char *kind;
    Deeds steps;
};

const Statement kQuiet{"an INSERT alone", {advance, take, commit, flush, show}};
const Statement kTelling[] = {
    {"with RETURNING", {advance, take, tell, commit, flush, show}},
    {"with a trigger that calls another server or raises a notice", {advance, take, tell, commit, flush, show}},
    {"with the id in the detail of its error, which has no flush", {advance, take, tell}},
    {"in a transaction that reads the row in its next statement", {advance, take, tell, commit, flush, show}},
    {"with synchronous_commit = off, where another session reads the row", {advance, take, commit, show}},
};

Deeds flushed_first(const Statement &statement) {
    Deeds steps = statement.steps;
    steps.insert(steps.begin() + 1, flush);
    return steps;
}

class World {
public:
    explicit World(const Deeds &insert) : actors_{insert, {tell}, {tell}, {flush}} {}

    // Whether a crash can come so that the id is made again.
    bool is_made_again_after_some_crash() const {
        if (told_ && is_made_again()) return true;
        for (std::size_t actor = 0; actor < actors_.size(); ++actor)
            if (can_step(actor) && after(actor).is_made_again_after_some_crash()) return true;
        return false;
    }

private:
    enum Actor : std::uint8_t { inserter, reader, walsender, walwriter };

    // A reader sees what is shown, and a walsender sends what is durable.
    bool can_step(std::size_t actor) const {
        if (done_[actor] == actors_[actor].size()) return false;
        if (actor == reader) return shown_;
        return actor != walsender || (committed_ != 0 && flushed_ >= committed_);
    }
    World after(std::size_t actor) const {
        World next = *this;
        next.apply(actors_[actor][next.done_[actor]++]);
        return next;
    }
    void apply(Deed step) {
        switch (step) {
            case advance: advanced_ = ++written_; break;
            case take: break;
            case commit: committed_ = ++written_; break;
            case flush: flushed_ = written_; break;
            case show: shown_ = true; break;
            case tell: told_ = true; break;
        }
    }
    // The server starts again when the clock has not moved.
    bool is_made_again() const {
        const Ticks ticks(test::layout_of("epoch=2024-01-01,tick=1ms,time=41,worker=10,sequence=12"));
        const UnixNanos now{millis(1'767'225'600'000)}, before{now.value}, advanced{now.value + millis(1000)};
        Timeline timeline;
        const auto first = [&](UnixNanos horizon) {
            timeline.rewind_to(start_after(ticks, horizon));
            return timeline.take(ticks, {.wait_ticks = 0, .drift_ticks = 2000}, timeline.last(), now, ticks.end())
                .position;
        };
        const std::uint64_t id = first(before);
        return first(flushed_ >= advanced_ ? advanced : before) <= id;
    }

    std::array<Deeds, 4> actors_;
    std::array<std::size_t, 4> done_{};
    int written_ = 0, flushed_ = 0, advanced_ = 0, committed_ = 0;
    bool shown_ = false, told_ = false;
};

TEST(LateFlushModel, OnlyAnInsertThatTellsNothingCouldWaitForItsCommit) {
    EXPECT_FALSE(World(kQuiet.steps).is_made_again_after_some_crash()) << kQuiet.kind;
    for (const Statement &statement : kTelling)
        EXPECT_TRUE(World(statement.steps).is_made_again_after_some_crash()) << statement.kind;
}

TEST(LateFlushModel, AFlushBeforeTheIdKeepsTheLawForAllStatements) {
    EXPECT_FALSE(World(flushed_first(kQuiet)).is_made_again_after_some_crash()) << kQuiet.kind;
    for (const Statement &statement : kTelling)
        EXPECT_FALSE(World(flushed_first(statement)).is_made_again_after_some_crash()) << statement.kind;
}

constexpr std::int64_t kReserveNs = millis(1000), kStepNs = 100 * kNanosPerMicro;

// Sessions that come and go and make ids at random moments, at least one in each millisecond. From the soft limit on a
// session advances the horizon, and flushes that then and there as long as a standby is connected. Without one it
// flushes halfway through the rest.
class Primary {
public:
    explicit Primary(UnixNanos now) : now_(now) {}

    void make_id(std::size_t session, bool is_connected) {
        Session &of = sessions_[session];
        const std::uint64_t position = ticks_.first(ticks_.at(now_));
        if (position < of.soft) return;
        if (of.advanced.value != 0) return flush(of, position);
        const HorizonGoal goal = horizon_goal(now_, ticks_.end_of(position), horizon_margin_ns(ticks_), kReserveNs);
        if (row_ < goal.enough) row_ = goal.target;
        of.advanced = row_;
        if (position >= of.hard || is_connected) return flush(of, position);
        of.soft = halfway(position, of.hard);
    }
    void leave(std::size_t session) { sessions_[session] = {}; }
    void pass(std::int64_t ns) { now_.value += ns; }

    // The horizon that a standby knows which has what was flushed by then.
    UnixNanos durable_at(UnixNanos time) const {
        const auto after = std::upper_bound(flushed_.begin(), flushed_.end(), time,
                                            [](UnixNanos at, const Flush &f) { return at < f.at; });
        return after == flushed_.begin() ? UnixNanos{0} : std::prev(after)->horizon;
    }

private:
    struct Session {
        std::uint64_t soft = 0, hard = 0;
        UnixNanos advanced{0};
    };
    struct Flush {
        UnixNanos at, horizon;
    };
    void flush(Session &of, std::uint64_t position) {
        const UnixNanos horizon = std::exchange(of.advanced, {0});
        if (flushed_.empty() || flushed_.back().horizon < horizon) flushed_.push_back({now_, horizon});
        of.hard = std::max(of.hard, limit_of(ticks_, horizon));
        const std::int64_t left = horizon.value - due_ns(kReserveNs) - now_.value;
        of.soft = soft_limit(position, of.hard, ticks_.positions_in(std::clamp(left, std::int64_t{0}, kReserveNs)));
    }

    const Ticks ticks_{test::layout_of("epoch=2024-01-01,tick=1ms,time=41,worker=10,sequence=12")};
    UnixNanos now_, row_{0};
    std::array<Session, 3> sessions_;
    std::vector<Flush> flushed_;
};

// How often ids are above all that a standby knows, which lags this much until it loses its primary, and is promoted so
// much later.
int count_unknown(std::mt19937_64 &random, bool is_connected, std::int64_t lag) {
    const UnixNanos begin{millis(1'767'225'600'000)};
    Primary primary(begin);
    const auto cut = static_cast<std::int64_t>(test::below(random, 10 * kReserveNs));
    std::size_t session = 0;
    int unknown = 0;
    for (std::int64_t at = 0; at < cut + lag; at += kStepNs) {
        if (test::below(random, 2000) == 0) primary.leave(test::below(random, 3));
        if (test::below(random, 50) == 0) session = test::below(random, 3);
        primary.make_id(session, is_connected && at < cut);
        if (at >= lag && primary.durable_at({begin.value + at - lag}).value <= begin.value + at) ++unknown;
        primary.pass(kStepNs);
    }
    return unknown;
}

TEST(LateFlushModel, AStandbyThatLagsByLessThanHalfOfTheReserveKnowsAHorizonAboveAllIds) {
    std::mt19937_64 random = test::seeded_random();
    constexpr std::int64_t kLag = due_ns(kReserveNs) - 2 * millis(1);
    for (int run = 0; run < 100; ++run) ASSERT_EQ(count_unknown(random, true, kLag), 0) << "run " << run;
}

TEST(LateFlushModel, AFlushHalfwayThroughTheRestIsTooLateForIt) {
    std::mt19937_64 random = test::seeded_random();
    int unknown = 0;
    for (int run = 0; run < 20; ++run) unknown += count_unknown(random, false, due_ns(kReserveNs) * 3 / 4);
    EXPECT_GT(unknown, 0);
}

}  // namespace
}  // namespace snowid::core
