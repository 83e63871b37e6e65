// A server that issues snos, crashes and starts again, as the glue must do it: callers that are interrupted anywhere
// between two steps, a clock that jumps, a toggle that fails half way, and what is durable of all that.
#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "core/gen/sno_timeline.hpp"
#include "random.hpp"

namespace snowid::core {
namespace {

constexpr std::int64_t kReserve = 25;  // units
constexpr SnoBounds kPool{0, 3};
constexpr SnoPolicy kPolicy{.max_ahead = 2, .patience = kReserve + 2};

// What the model does wrong on purpose.
enum class Fault {
    none,
    toggle_is_not_durable,
    limit_is_not_lowered,
    limits_of_others_stay,
    limit_is_read_first,
    horizon_is_not_used_up,
};

constexpr std::size_t kDatabases = 2;

struct Caller {
    enum class At { look, limit, clock, take, raise, publish, toggle, save, lower, finish } at = At::look;
    std::size_t database = 0;
    std::uint64_t seen = 0;
    std::int64_t limit = 0;
    UnixNanos now{0};
    std::int64_t wanted = 0;
    SnoToggle toggle{};
};

class Server {
public:
    Server(Fault fault, std::mt19937_64 &random) : fault_(fault), random_(random) { start(); }

    void run(int steps) {
        for (int i = 0; i < steps && duplicates == 0 && leaks == 0; ++i) {
            tick();
            if (chance(20'000)) start();
            step(callers_[random_() % callers_.size()]);
        }
    }

    std::size_t issued() const { return given_.size(); }
    std::uint64_t drifts() const { return latest().drifts; }

    int duplicates = 0;
    int leaks = 0;  // ids that what is durable does not cover

private:
    using At = Caller::At;

    bool chance(std::uint64_t of) { return random_() % of == 0; }

    void tick() {
        if (chance(8)) ++clock_;
        if (chance(2000)) clock_ += static_cast<std::int64_t>(random_() % 100);
        if (chance(3000)) clock_ -= static_cast<std::int64_t>(random_() % 100);
    }

    void start() {
        timeline_.emplace();
        SnoDurable durable = latest();
        if (fault_ == Fault::horizon_is_not_used_up) durable.horizon.value -= 10 * SnoUnits::kUnitNs;
        timeline_->resume(durable);
        is_locked_ = false;
        callers_.assign(6, {});
        for (std::size_t i = 0; i < callers_.size(); ++i) callers_[i].database = i % kDatabases;
        for (std::size_t i = 0; i < kDatabases; ++i)  // what is of other drifts allows nothing
            limit_[i] = disk_[i].drifts == durable.drifts ? SnoUnits::limit_of(disk_[i].horizon) : 0;
    }

    SnoDurable latest() const { return later_of(disk_[0], disk_[1]); }

    bool lock() { return !is_locked_ && (is_locked_ = true); }
    void give_up(Caller &caller) {
        is_locked_ = false;
        caller.at = At::look;
    }

    void step(Caller &caller) {
        switch (caller.at) {
            case At::look:
                caller.seen = timeline_->look();
                caller.at = At::limit;
                if (fault_ != Fault::limit_is_read_first || caller.limit == 0) break;
                caller.at = At::clock;  // with the limit of its last id
                break;
            case At::limit:
                caller.limit = limit_[caller.database];
                caller.at = At::clock;
                break;
            case At::clock:
                caller.now = SnoUnits::start(clock_);
                caller.at = At::take;
                break;
            case At::take: take(caller); break;
            case At::raise: raise(caller); break;
            case At::publish:
                limit_[caller.database] = SnoUnits::limit_of(disk_[caller.database].horizon);
                give_up(caller);
                break;
            default: step_of_toggle(caller);
        }
    }

    void take(Caller &caller) {
        caller.at = At::look;
        const SnoDecision d = timeline_->take(kPool, kPolicy, caller.seen, caller.now, caller.limit);
        if (d.verdict == SnoVerdict::issue || d.verdict == SnoVerdict::wait) give(d.position, caller);
        if (d.verdict == SnoVerdict::at_limit) {
            caller.wanted = d.due_unit;
            caller.at = At::raise;
            caller.limit = 0;
        }
        if (d.verdict == SnoVerdict::toggle) caller.at = At::toggle;
    }

    // Nobody toggles while the horizon is raised; who was told to raise it before a toggle is told again.
    void raise(Caller &caller) {
        caller.at = At::look;
        if (!lock()) return;
        SnoDurable durable{};
        const UnixNanos horizon = SnoUnits::start(std::max(clock_ + kReserve, caller.wanted + 2));
        if (!timeline_->raised(caller.seen, horizon, durable)) return give_up(caller);
        disk_[caller.database] = later_of(disk_[caller.database], durable);
        caller.at = At::publish;
    }

    void step_of_toggle(Caller &caller) {
        switch (caller.at) {
            case At::toggle:
                caller.at = At::look;
                if (!lock()) break;
                caller.toggle = timeline_->begin_toggle(kPolicy, [&] { return SnoUnits::start(clock_); });
                if (caller.toggle.verdict != SnoVerdict::toggle) return give_up(caller);
                caller.at = At::save;
                break;
            case At::save:
                if (chance(4)) return give_up(caller);  // an error before it is written
                if (fault_ != Fault::toggle_is_not_durable)
                    disk_[caller.database] = {SnoUnits::start(caller.toggle.unit + kReserve), caller.toggle.safe,
                                              caller.toggle.drifts};
                caller.at = At::lower;
                break;
            case At::lower:
                if (chance(4)) return give_up(caller);  // and after it
                if (fault_ != Fault::limits_of_others_stay) limit_[1 - caller.database] = 0;
                if (fault_ != Fault::limit_is_not_lowered)
                    limit_[caller.database] = SnoUnits::limit_of(disk_[caller.database].horizon);
                caller.at = At::finish;
                break;
            default: give(timeline_->finish_toggle(kPool, caller.toggle), caller); give_up(caller);
        }
    }

    void give(const SnoPosition &p, const Caller &caller) {
        const SnoDurable &disk = disk_[caller.database];
        duplicates += !given_.emplace(p.unit, p.tick_tock, p.sequence).second;
        leaks += SnoUnits::start(p.unit) >= disk.horizon || p.tick_tock != ((disk.drifts & 1) != 0);
    }

    Fault fault_;
    std::mt19937_64 &random_;
    std::int64_t clock_ = 100'000'000'000;
    SnoDurable disk_[kDatabases] = {{{0}, 0, 0}, {{0}, 0, 0}};
    std::optional<SnoTimeline> timeline_;
    std::int64_t limit_[kDatabases] = {};
    bool is_locked_ = false;
    std::vector<Caller> callers_;
    std::set<std::tuple<std::int64_t, bool, std::uint32_t>> given_;
};

int found(Fault fault, std::mt19937_64 &random, int rounds) {
    for (int round = 0; round < rounds; ++round) {
        Server server(fault, random);
        server.run(400'000);
        if (server.duplicates + server.leaks > 0) return 1;
        EXPECT_GT(server.issued(), 10'000u);
        EXPECT_GT(server.drifts(), 10u);
    }
    return 0;
}

TEST(SnoModel, NoIdTwiceOverCrashesAndClocksThatStepBack) {
    std::mt19937_64 random = test::seeded_random();
    EXPECT_EQ(found(Fault::none, random, 6), 0);
}

// The model sees what goes wrong: each step is there because one of these fails without it.
TEST(SnoModel, FindsEveryMistakeThatItCanMake) {
    std::mt19937_64 random = test::seeded_random();
    for (const Fault fault : {Fault::toggle_is_not_durable, Fault::limit_is_not_lowered, Fault::limits_of_others_stay,
                              Fault::limit_is_read_first, Fault::horizon_is_not_used_up})
        EXPECT_EQ(found(fault, random, 20), 1) << static_cast<int>(fault);
}

}  // namespace
}  // namespace snowid::core
