// A model of a server that makes snos, crashes and starts again. Callers are interrupted between any two steps, the
// clock jumps, dumps bring rows, and the model tracks what is durable. src/server must follow the same steps.
#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "core/sno/timeline.hpp"
#include "random.hpp"

namespace snowid::core {
namespace {

constexpr std::int64_t kReserve = 25;  // units
constexpr SnoBounds kFewest{0, 3};
constexpr SnoPolicy kPolicy{.max_ahead = 2, .patience = kReserve + 2};

// Mistakes that the model makes on purpose.
enum class Fault {
    none,
    limits_survive_a_toggle,
    limits_go_after_a_toggle,
    version_is_not_looked_at,
    horizon_is_not_used_up,
    only_the_latest_row_counts,
};

constexpr std::size_t kDatabases = 2;

// Each caller has its own limit, which is valid for one version of the generator.
struct Caller {
    enum class At { prepare, look, clock, take, look_at_version, advance, toggle, lower, finish } at = At::prepare;
    std::size_t database = 0;
    std::uint64_t version = 0;
    std::uint64_t seen = 0;
    std::int64_t limit = 0;
    UnixNanos now{0};
    SnoDecision decision{};
    SnoToggle toggle{};
};

class Server {
public:
    Server(Fault fault, std::mt19937_64 &random) : fault_(fault), random_(random) { start(); }

    void run(int steps) {
        for (int i = 0; i < steps && duplicates == 0 && leaks == 0; ++i) {
            tick();
            if (chance(20'000)) start();
            if (chance(50'000) && !is_locked_) take_in_row();
            step(callers_[random_() % callers_.size()]);
        }
    }

    std::size_t issued() const { return given_.size(); }
    std::uint64_t toggles() const { return std::max(disk_[0].toggles, disk_[1].toggles); }

    int duplicates = 0;
    int leaks = 0;  // ids that the durable rows do not cover

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
        UsedUp used_up = merged(disk_[0], disk_[1]);
        if (fault_ == Fault::only_the_latest_row_counts) used_up = disk_[disk_[0].toggles < disk_[1].toggles ? 1 : 0];
        if (fault_ == Fault::horizon_is_not_used_up) used_up.horizon.value -= 10 * SnoUnits::kUnitNs;
        timeline_->resume(used_up);
        is_locked_ = false;
        callers_.assign(6, {});
        for (std::size_t i = 0; i < callers_.size(); ++i) callers_[i].database = i % kDatabases;
    }

    // Restores a row from another server, together with the ids that it made.
    void take_in_row() {
        const std::int64_t from = clock_ - 40 + static_cast<std::int64_t>(random_() % 80),
                           size = 1 + static_cast<std::int64_t>(random_() % 60);
        const UsedUp row{SnoUnits::start(from + size), from + size / 2, toggles() + random_() % 3};
        for (std::int64_t unit = from; unit < from + size; ++unit) given_.emplace(unit, (row.toggles & 1) != 0, 0);
        for (std::int64_t unit = from; unit <= row.safe; ++unit) given_.emplace(unit, (row.toggles & 1) == 0, 0);
        UsedUp &of = disk_[random_() % kDatabases];
        of = merged(of, row);
        const UsedUp before = timeline_->stop();
        ++version_;
        timeline_->resume(merged(before, row));
        if (chance(2)) start();
    }

    bool lock() { return !is_locked_ && (is_locked_ = true); }

    void step(Caller &caller) {
        switch (caller.at) {
            case At::prepare:
                caller.version = version_;
                if (fault_ != Fault::limits_survive_a_toggle) caller.limit = 0;
                caller.at = At::look;
                break;
            case At::look:
                caller.seen = timeline_->look();
                caller.at = At::clock;
                break;
            case At::clock:
                caller.now = SnoUnits::start(clock_);
                caller.at = At::take;
                break;
            case At::take:
                caller.decision = timeline_->take(kFewest, kPolicy, caller.seen, caller.now, caller.limit);
                caller.at = At::look_at_version;
                break;
            case At::look_at_version: look_at_version(caller); break;
            case At::advance: advance(caller); break;
            default: step_of_toggle(caller);
        }
    }

    void look_at_version(Caller &caller) {
        const SnoDecision &d = caller.decision;
        caller.at = At::look;
        if (fault_ != Fault::version_is_not_looked_at && caller.version != version_)
            caller.at = At::prepare;
        else if (d.verdict == SnoVerdict::make || d.verdict == SnoVerdict::wait)
            give(d.position, caller);
        else if (d.verdict == SnoVerdict::at_limit)
            caller.at = At::advance;
        else if (d.verdict == SnoVerdict::toggle)
            caller.at = At::toggle;
    }

    // The caller holds the row's lock.
    void advance(Caller &caller) {
        caller.at = At::look;
        UsedUp used_up{}, &row = disk_[caller.database];
        const UnixNanos horizon = SnoUnits::start(std::max(clock_ + kReserve, caller.decision.due_unit + 2));
        if (!timeline_->advanced(caller.seen, horizon, used_up)) return;
        if (row.toggles == used_up.toggles) used_up.horizon = std::max(used_up.horizon, row.horizon);
        row = used_up;
        caller.limit = SnoUnits::limit_of(row.horizon);
    }

    void step_of_toggle(Caller &caller) {
        switch (caller.at) {
            case At::toggle:
                caller.at = At::look;
                if (!lock()) break;
                caller.toggle = timeline_->begin_toggle(kPolicy, [&] { return SnoUnits::start(clock_); });
                is_locked_ = caller.toggle.verdict == SnoVerdict::toggle;
                if (is_locked_) caller.at = At::lower;
                break;
            case At::lower:
                if (fault_ != Fault::limits_go_after_a_toggle) ++version_;
                caller.at = At::finish;
                break;
            default:
                timeline_->finish_toggle(kFewest, caller.toggle);
                if (fault_ == Fault::limits_go_after_a_toggle && chance(2)) ++version_;
                is_locked_ = false;
                caller.at = At::prepare;
        }
    }

    void give(const SnoPosition &p, const Caller &caller) {
        const UsedUp &disk = disk_[caller.database];
        duplicates += !given_.emplace(p.unit, p.tick_tock, p.sequence).second;
        leaks += SnoUnits::start(p.unit) >= disk.horizon || p.tick_tock != ((disk.toggles & 1) != 0);
    }

    Fault fault_;
    std::mt19937_64 &random_;
    std::int64_t clock_ = 100'000'000'000;
    UsedUp disk_[kDatabases] = {{{0}, 0, 0}, {{0}, 0, 0}};
    std::optional<SnoTimeline> timeline_;
    std::uint64_t version_ = 0;
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
        EXPECT_GT(server.toggles(), 10u);
    }
    return 0;
}

TEST(SnoModel, NeverRepeatsAnIdAfterCrashesAndStepsBack) {
    std::mt19937_64 random = test::seeded_random();
    EXPECT_EQ(found(Fault::none, random, 6), 0);
}

// Each step is necessary: without it, the model finds a duplicate or a leak.
TEST(SnoModel, CatchesEveryMistake) {
    std::mt19937_64 random = test::seeded_random();
    for (const Fault fault :
         {Fault::limits_survive_a_toggle, Fault::limits_go_after_a_toggle, Fault::version_is_not_looked_at,
          Fault::horizon_is_not_used_up, Fault::only_the_latest_row_counts})
        EXPECT_EQ(found(fault, random, 20), 1) << static_cast<int>(fault);
}

}  // namespace
}  // namespace snowid::core
