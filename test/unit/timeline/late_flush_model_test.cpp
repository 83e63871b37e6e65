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
#include <vector>

#include "core/timeline/horizon.hpp"
#include "core/timeline/timeline.hpp"
#include "layout/random_layout.hpp"

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

constexpr std::int64_t kReserveNs = millis(1000), kStepNs = millis(5);

// A session that makes an id at each step. From the soft limit on it advances the horizon, and flushes that then and
// there as long as a standby is connected. Without one it flushes halfway through the rest.
class Primary {
public:
    explicit Primary(std::int64_t connected_until) : connected_until_(connected_until) {}

    void make_id(std::int64_t now) {
        if (now < soft_) return;
        if (advanced_ != 0) return flush(now);
        const HorizonGoal goal = horizon_goal({now}, {now}, 0, kReserveNs);
        advanced_ = durable_.empty() || durable_.back().horizon < goal.enough.value ? goal.target.value : 0;
        if (now >= hard_ || now < connected_until_) return flush(now);
        soft_ = now + (hard_ - now) / 2;
    }
    // What a standby knows that has what was flushed until then.
    std::int64_t horizon_at(std::int64_t time) const {
        std::int64_t horizon = 0;
        for (const Row &row : durable_)
            if (row.flushed_at <= time) horizon = row.horizon;
        return horizon;
    }

private:
    struct Row {
        std::int64_t flushed_at, horizon;
    };
    void flush(std::int64_t now) {
        if (advanced_ != 0) durable_.push_back({now, advanced_});
        advanced_ = 0;
        hard_ = durable_.back().horizon;
        soft_ = now + (hard_ - now) / 2;
    }

    std::int64_t connected_until_, advanced_ = 0, soft_ = 0, hard_ = 0;
    std::vector<Row> durable_;
};

// Whether the standby, which lags this much until it loses its primary, and is promoted so much later, makes ids again.
bool repeats_ids(std::int64_t connected_until, std::int64_t lag) {
    Primary primary(connected_until);
    for (std::int64_t now = 0; now < 5 * kReserveNs; now += kStepNs) {
        primary.make_id(now);
        const std::int64_t known = now - lag;
        if (known >= 0 && known <= connected_until + kStepNs && primary.horizon_at(known) <= now) return true;
    }
    return false;
}

TEST(LateFlushModel, AStandbyThatLagsByLessThanHalfOfTheReserveKnowsAHorizonAboveAllIds) {
    const std::int64_t lag = due_ns(kReserveNs) - kStepNs;
    for (std::int64_t end = 0; end < 5 * kReserveNs; end += kStepNs) EXPECT_FALSE(repeats_ids(end, lag)) << end;
}

TEST(LateFlushModel, AFlushHalfwayThroughTheRestWouldLeaveHalfAsMuch) {
    Primary late(0);
    std::int64_t shortest = kReserveNs;
    for (std::int64_t now = 0; now < 5 * kReserveNs; now += kStepNs) {
        late.make_id(now);
        for (std::int64_t lag = 0; lag < std::min(now, shortest); lag += kStepNs)
            if (late.horizon_at(now - lag) <= now) shortest = lag;
    }
    EXPECT_NEAR(static_cast<double>(shortest), static_cast<double>(due_ns(kReserveNs)) / 2, 2.0 * kStepNs);
}

}  // namespace
}  // namespace snowid::core
