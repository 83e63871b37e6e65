// Replays recorded runs of the reference implementation under scripted clocks, step by step. Our timeline differs on
// purpose in three ways. Its sequence stops at the largest number, while the reference goes on to count callers that
// got no id. Its smallest pool has 4 ids, not 6. The sequence numbers of ids with a given time never wrap.
#include <gtest/gtest.h>

#include <deque>

#include "core/id/sno.hpp"
#include "core/sno/timeline.hpp"
#include "ids.hpp"
#include "sno/reference.hpp"

namespace snowid::core {
namespace {

using test::Row;

constexpr std::int64_t kNoLimit = SnoUnits::kEnd;
constexpr SnoPolicy kAsTheReference{.max_ahead = 0, .patience = 0};  // its callers wait without holding an id

std::uint32_t small(const std::string &digits) { return static_cast<std::uint32_t>(std::stoul(digits)); }

class Replay {
public:
    explicit Replay(const Row &config)
        : partition_(std::stoll(config.at("partition"))),
          bounds_{small(config.at("seq_min")), small(config.at("seq_max"))} {
        const SnoSequence read = read_sno_bounds(bounds_.min, bounds_.max, small(config.at("sequence")));
        EXPECT_EQ(read.fault, SnoFault::none);
        bounds_ = read.bounds;
        restore(timeline_,
                {read.sequence, std::stoll(config.at("wall_hi")), std::stoll(config.at("wall_safe")),
                 std::stoull(config.at("drifts"))},
                bounds_);
    }

    void step(const Row &row) {
        for (const std::string &reading : test::split(row.at("clock_reads"), ','))
            clock_.push_back(std::stoll(reading));
        ASSERT_FALSE(clock_.empty());
        if (row.at("op") == "new")
            expect_id(row);
        else if (row.at("op") == "snapshot")
            expect_snapshot(row);
        else
            FAIL() << "no operation: " << row.at("op");
        expect_state(row);
        clock_.clear();
    }

private:
    UnixNanos now() const { return SnoUnits::start(clock_.front()); }

    void expect_id(const Row &row) {
        std::string what;
        const SnoPosition position = next(what);
        const Sno id = from_position(position, std::stoll(row.at("meta")), partition_);
        EXPECT_EQ(test::hex(id.bytes), row.at("hex"));
        EXPECT_EQ(test::text_of(id), row.at("text"));
        EXPECT_TRUE(row.at("case").starts_with(what)) << what << ", not " << row.at("case");
        EXPECT_EQ(clock_.size(), 1u) << "readings of the clock were left over";
    }

    // Reads the clock as often as needed. `what` is the result of the first reading, in the reference's words.
    SnoPosition next(std::string &what) {
        const auto note = [&](const char *name) { what = what.empty() ? name : what; };
        for (; !clock_.empty(); clock_.pop_front()) {
            const std::int64_t before = state_of(timeline_, bounds_, clock_.front()).wall_hi;
            const SnoDecision d = timeline_.take(bounds_, kAsTheReference, timeline_.look(), now(), kNoLimit);
            switch (d.verdict) {
                case SnoVerdict::make: note(clock_.front() == before ? "same-unit" : "progress"); return d.position;
                case SnoVerdict::toggle: note("regress-ticktock"); return toggle();
                case SnoVerdict::full: note("overflow-wait"); break;
                case SnoVerdict::behind: note("regress-wait"); break;
                default: ADD_FAILURE() << "verdict " << static_cast<int>(d.verdict); return d.position;
            }
            if (clock_.size() == 1) break;
        }
        ADD_FAILURE() << "still waits after the last reading";
        return {};
    }

    SnoPosition toggle() {
        const SnoToggle begun = timeline_.begin_toggle(kAsTheReference, [&] { return now(); });
        EXPECT_EQ(begun.verdict, SnoVerdict::toggle);
        return timeline_.finish_toggle(bounds_, begun);
    }

    void expect_snapshot(const Row &row) {
        const SnoState state = state_of(timeline_, bounds_, clock_.front());
        const std::uint32_t length = state.wall_hi == clock_.front() ? state.sequence - bounds_.min + 1 : 0;
        const std::vector<std::string> parts = test::split(row.at("case"), ';');
        ASSERT_EQ(parts.size(), 3u);
        EXPECT_EQ(state.sequence, std::min(small(parts[0].substr(parts[0].find('=') + 1)), bounds_.max));
        EXPECT_EQ("len=" + std::to_string(length), parts[1]);
        EXPECT_EQ("cap=" + std::to_string(bounds_.capacity()), parts[2]);
    }

    void expect_state(const Row &row) {
        const SnoState state = state_of(timeline_, bounds_, clock_.front());
        EXPECT_EQ(state.wall_hi, std::stoll(row.at("wall_hi")));
        EXPECT_EQ(state.wall_safe, std::stoll(row.at("wall_safe")));
        EXPECT_EQ(state.toggles, std::stoull(row.at("drifts")));
        EXPECT_EQ(state.sequence, std::min(small(row.at("sequence_raw")), bounds_.max));
    }

    std::int64_t partition_;
    SnoBounds bounds_;
    SnoTimeline timeline_;
    std::deque<std::int64_t> clock_;
};

TEST(SnoTrace, IssuesWhatTheReferenceIssues) {
    std::map<std::string, Replay> replays;
    for (const Row &config : test::read_vectors("sno_trace_config.tsv"))
        replays.try_emplace(config.at("trace"), config);
    for (const Row &row : test::read_vectors("sno_trace_steps.tsv")) {
        SCOPED_TRACE("trace " + row.at("trace") + ", step " + row.at("step"));
        ASSERT_TRUE(replays.contains(row.at("trace")));
        replays.at(row.at("trace")).step(row);
        if (HasFailure()) return;
    }
}

TEST(SnoTrace, ReadsBoundsLikeTheReferenceExceptForPoolsOfFourAndFive) {
    for (const Row &row : test::read_vectors("sno_bounds.tsv")) {
        SCOPED_TRACE(row.at("in_min") + ' ' + row.at("in_max") + ' ' + row.at("in_sequence"));
        const SnoSequence read =
            read_sno_bounds(small(row.at("in_min")), small(row.at("in_max")), small(row.at("in_sequence")));
        std::string result = row.at("result");
        const std::uint32_t pool = read.bounds.capacity();
        if (result == "error:pool_too_small" && (pool == 4 || pool == 5))
            result = small(row.at("in_sequence")) != 0 && read.sequence < read.bounds.min ? "error:underflow" : "ok";
        static constexpr const char *kResults[] = {"ok", "error:identical", "error:pool_too_small", "error:underflow"};
        EXPECT_EQ(kResults[static_cast<int>(read.fault)], result);
        if (row.at("result") != "ok") continue;
        EXPECT_EQ(read.bounds.min, small(row.at("out_min")));
        EXPECT_EQ(read.bounds.max, small(row.at("out_max")));
        EXPECT_EQ(read.sequence, small(row.at("out_sequence")));
        EXPECT_EQ(pool, small(row.at("capacity")));
    }
}

// The reference counts ids with a given time separately, whatever their times are, and wraps. We count them within
// their unit, and once a unit is used up, we refuse more.
TEST(SnoTrace, TakesGivenTimesLikeTheReferenceUntilItWraps) {
    for (const Row &row : test::read_vectors("sno_withtime.tsv")) {
        SCOPED_TRACE(row.at("text"));
        const SnoBounds bounds{small(row.at("seq_min")), small(row.at("seq_max"))};
        const std::int64_t unit = SnoUnits::at({std::stoll(row.at("unix_ns"))});
        const std::uint32_t calls = small(row.at("call_index"));
        SnoTimeline timeline;
        SnoDecision d{};
        for (std::uint32_t call = 0; call <= calls; ++call) d = timeline.take_dated(bounds, unit, kNoLimit);
        if (!SnoUnits::has(unit)) {
            EXPECT_EQ(d.verdict, SnoVerdict::out_of_time);
            continue;
        }
        if (calls >= bounds.capacity()) {
            EXPECT_EQ(d.verdict, SnoVerdict::full);
            d.position = {unit, bounds.min + calls % bounds.capacity(), false};
        }
        const Sno id = from_position(d.position, std::stoll(row.at("meta")), std::stoll(row.at("partition")));
        EXPECT_EQ(test::hex(id.bytes), row.at("hex"));
    }
}

}  // namespace
}  // namespace snowid::core
