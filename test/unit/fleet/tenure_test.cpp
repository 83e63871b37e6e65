// The keeper of a tenure against a directory and a network that may lose, delay and duplicate everything.
#include "core/fleet/tenure.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

namespace snowid::core {
namespace {

constexpr std::int64_t kSecond = kNanosPerSecond;
constexpr std::int64_t kStart = 1'800'000'000 * kSecond;
constexpr TenureConfig kConfig{60 * kSecond, 1023, 600 * kSecond};
constexpr WorkerRange kRange{1, 9};

constexpr TenureClock at(std::int64_t seconds) { return {seconds * kSecond, kStart + seconds * kSecond, 0, false}; }
constexpr TenureToken token(std::uint8_t n) { return {{n}}; }

TenureAnswer row(const TenureRequest &request, std::uint8_t number) {
    const std::int64_t from = request.clock_ns - kSecond;
    return {TenureAnswer::Kind::row, false, 7, token(number), from, request.asked_until_ns(), request.clock_ns, kRange};
}
constexpr TenureAnswer kNoRow{TenureAnswer::Kind::no_row, false, 0, {}, 0, 0, 0, {}};

class TenureKeeperTest : public testing::Test {
protected:
    TenureKeeperTest() { keeper_.configure(kConfig); }

    TenureRequest taken(const TenureClock &clock) {
        const TenureRequest request = keeper_.ask(clock);
        EXPECT_EQ(keeper_.answered(request.number, row(request, 1), clock).effect, TenureEffect::install);
        return request;
    }
    TenureVerdict answer(const TenureRequest &request, const TenureAnswer &with, const TenureClock &clock) {
        return keeper_.answered(request.number, with, clock);
    }

    TenureKeeper keeper_{Tenure{}};
};

TEST_F(TenureKeeperTest, AsksForMoreFromPieceToPiece) {
    EXPECT_EQ(keeper_.state(), TenureKeeper::State::asking);
    EXPECT_EQ(taken(at(0)).lease_ms, 5000);
    EXPECT_EQ(keeper_.state(), TenureKeeper::State::held);
    std::int64_t piece_ms = 5000;
    TenureClock clock = at(0);
    for (std::uint8_t n = 2; n < 9; ++n) {
        clock.elapsed_ns += millis(piece_ms / 4) - 1;
        EXPECT_FALSE(keeper_.is_due(clock));
        ++clock.elapsed_ns;
        ASSERT_TRUE(keeper_.is_due(clock));
        const TenureRequest request = keeper_.ask(clock);
        EXPECT_EQ(keeper_.state(), TenureKeeper::State::renewing);
        EXPECT_EQ(request.action, TenureAction::renew);
        EXPECT_EQ(request.token, token(static_cast<std::uint8_t>(n - 1)));
        EXPECT_EQ(request.held_until_ns, keeper_.tenure().until_ns);
        EXPECT_EQ(answer(request, row(request, n), clock).effect, TenureEffect::extend);
        EXPECT_EQ(keeper_.tenure().until_ns, request.asked_until_ns());
        piece_ms = request.lease_ms;
    }
    EXPECT_EQ(piece_ms, 60000);
}

TEST_F(TenureKeeperTest, TriesAgainEachSecondWithTheSameToken) {
    taken(at(0));
    TenureClock clock = at(2);
    std::vector<std::int64_t> pauses;
    for (int i = 0; i < 6; ++i) {
        ASSERT_TRUE(keeper_.is_due(clock));
        EXPECT_EQ(keeper_.ask(clock).token, token(1));
        keeper_.unanswered(clock);
        pauses.push_back(keeper_.wake_ns() - clock.elapsed_ns);
        clock.elapsed_ns = keeper_.wake_ns() - 1;
        EXPECT_FALSE(keeper_.is_due(clock));
        ++clock.elapsed_ns;
    }
    EXPECT_EQ(pauses, (std::vector{millis(500), millis(1000), millis(1000), millis(1000), millis(1000), millis(1000)}));
}

TEST_F(TenureKeeperTest, UsesWhatIsLostToItsEnd) {
    taken(at(0));
    const TenureRequest request = keeper_.ask(at(2));
    EXPECT_EQ(answer(request, kNoRow, at(2)).effect, TenureEffect::lose);
    EXPECT_EQ(keeper_.tenure().until_ns, at(5).now_ns);
    EXPECT_EQ(keeper_.state(), TenureKeeper::State::asking);
    ASSERT_TRUE(keeper_.is_due(at(2)));
    const TenureRequest other = keeper_.ask(at(2));
    EXPECT_EQ(other.action, TenureAction::take);
    EXPECT_EQ(other.lease_ms, 5000);
}

TEST_F(TenureKeeperTest, EndsAtOnceWhatIsOutTwice) {
    taken(at(0));
    const TenureRequest request = keeper_.ask(at(2));
    TenureAnswer twice = kNoRow;
    twice.kind = TenureAnswer::Kind::twice;
    twice.has_warning = true;
    EXPECT_EQ(answer(request, twice, at(2)).effect, TenureEffect::close);
    EXPECT_EQ(keeper_.tenure().until_ns, 0);
    EXPECT_EQ(keeper_.ask(at(2)).action, TenureAction::take);
}

TEST_F(TenureKeeperTest, GoesOnWithWhatAnEarlierWorkerLeft) {
    taken(at(0));
    TenureKeeper next(keeper_.tenure());
    next.configure(kConfig);
    ASSERT_TRUE(next.is_due(at(1)));
    const TenureRequest request = next.ask(at(1));
    EXPECT_EQ(request.action, TenureAction::renew);
    EXPECT_EQ(request.token, token(1));
    EXPECT_EQ(request.lease_ms, 10000);
}

TEST_F(TenureKeeperTest, RenewsAtOnceWhenTheClockIsNearTheEnd) {
    taken(at(0));
    TenureClock woken = at(100);
    woken.elapsed_ns = kSecond;  // a machine that slept
    EXPECT_TRUE(keeper_.is_due(woken));
    TenureClock ahead = at(1);
    EXPECT_FALSE(keeper_.is_due(ahead));
    ahead.ahead_ns = ahead.now_ns + 2 * kSecond;
    ASSERT_TRUE(keeper_.is_due(ahead));
    EXPECT_EQ(keeper_.ask(ahead).asked_until_ns(), ahead.ahead_ns + 10 * kSecond);
}

TEST_F(TenureKeeperTest, KeepsItsNumberWhileTheClockHasLeapt) {
    taken(at(0));
    const std::int64_t until = keeper_.tenure().until_ns;
    for (std::uint8_t n = 2; n < 9; ++n) {
        TenureClock clock = at(100 * n);
        clock.has_leapt = true;
        ASSERT_TRUE(keeper_.is_due(clock));
        const TenureRequest request = keeper_.ask(clock);
        EXPECT_EQ(request.asked_until_ns(), until);
        EXPECT_EQ(answer(request, row(request, n), clock).effect, TenureEffect::extend);
    }
    EXPECT_EQ(keeper_.tenure().until_ns, until);
}

TEST_F(TenureKeeperTest, NeverAsksWithoutAPause) {
    taken(at(0));
    TenureClock clock = at(100);
    const TenureRequest request = keeper_.ask(clock);
    TenureAnswer none = row(request, 2);
    none.until_ns = request.held_until_ns;  // a directory that gives nothing
    EXPECT_EQ(answer(request, none, clock).effect, TenureEffect::extend);
    EXPECT_FALSE(keeper_.is_due(clock));
    clock.elapsed_ns = keeper_.wake_ns();
    EXPECT_TRUE(keeper_.is_due(clock));
}

TEST_F(TenureKeeperTest, TakesNothingThatWasNotAskedFor) {
    const auto objection = [&](auto change) {
        TenureKeeper keeper{Tenure{}};
        keeper.configure(kConfig);
        const TenureRequest request = keeper.ask(at(0));
        TenureAnswer answer = row(request, 1);
        change(answer);
        const TenureVerdict verdict = keeper.answered(request.number, answer, at(0));
        EXPECT_EQ(verdict.effect == TenureEffect::none, verdict.objection != TenureObjection::none);
        EXPECT_EQ(keeper.state() == TenureKeeper::State::asking, verdict.objection != TenureObjection::none);
        return verdict.objection;
    };
    using A = TenureAnswer;
    EXPECT_EQ(objection([](A &) {}), TenureObjection::none);
    EXPECT_EQ(objection([](A &a) { a.worker = 0; }), TenureObjection::worker);
    EXPECT_EQ(objection([](A &a) { a.worker = 10; }), TenureObjection::worker);
    EXPECT_EQ(objection([](A &a) { a.range = {8, 9}; }), TenureObjection::worker);
    EXPECT_EQ(objection([](A &a) { a.worker = a.range.last = 1024; }), TenureObjection::worker);
    EXPECT_EQ(objection([](A &a) { a.range.last = 1024; }), TenureObjection::worker);
    EXPECT_EQ(objection([](A &a) { a.range.first = 0; }), TenureObjection::worker);
    EXPECT_EQ(objection([](A &a) { a.from_ns = INT64_MIN; }), TenureObjection::none);  // it begins in 1970
    EXPECT_EQ(objection([](A &a) { a.token = {}; }), TenureObjection::piece);
    EXPECT_EQ(objection([](A &a) { a.until_ns = a.from_ns; }), TenureObjection::piece);
    EXPECT_EQ(objection([](A &a) { ++a.until_ns; }), TenureObjection::piece);
    EXPECT_EQ(objection([](A &a) { a.from_ns = at(0).now_ns; }), TenureObjection::none);
    EXPECT_EQ(objection([](A &a) { a.from_ns = at(0).now_ns + 1; }), TenureObjection::piece);
    EXPECT_EQ(objection([](A &a) { a.directory_ns += 600 * kSecond; }), TenureObjection::none);
    EXPECT_EQ(objection([](A &a) { a.directory_ns += 601 * kSecond; }), TenureObjection::clock_behind);
}

TEST_F(TenureKeeperTest, ARenewalIsWithinWhatWasAskedAndHad) {
    taken(at(0));
    const std::int64_t until = keeper_.tenure().until_ns;
    for (const std::int64_t wrong : {until - 1, at(2).now_ns + 10 * kSecond + 1}) {
        const TenureRequest request = keeper_.ask(at(2));
        TenureAnswer with = row(request, 2);
        with.until_ns = wrong;
        EXPECT_EQ(answer(request, with, at(2)).objection, TenureObjection::piece);
        EXPECT_EQ(keeper_.tenure().until_ns, until);
        EXPECT_EQ(keeper_.tenure().token, token(1));
    }
}

TEST_F(TenureKeeperTest, ClosesWhenTheNumberIsNoDirectorysAnyMore) {
    taken(at(0));
    EXPECT_EQ(keeper_.configure({30 * kSecond, 1023, 0}), TenureEffect::none);
    EXPECT_EQ(keeper_.configure({}), TenureEffect::close);
    EXPECT_EQ(keeper_.state(), TenureKeeper::State::none);
    EXPECT_EQ(keeper_.tenure().worker, 0U);
    EXPECT_FALSE(keeper_.is_due(at(9)));
    EXPECT_EQ(keeper_.configure({}), TenureEffect::none);
    keeper_.configure(kConfig);
    EXPECT_EQ(keeper_.ask(at(9)).action, TenureAction::take);
}

// All orders
// --------------------------------------------------------------------------------------------------------------

enum class Fault { none, late_answer_counts, extend_keeps_token, warning_is_answer };

// A directory of two numbers, with one other server that takes whatever is free; the messages between the directory and
// the keeper; and the server that does what the keeper says. It is copied at every choice, so it holds no pointers.
struct World {
    struct Row {
        std::int64_t until = kStart - 1;
        std::uint8_t token = 0;
        std::int64_t expires = 0;
        std::int64_t ours = 0;  // the end of what we were last given for good
        bool is_ours = false;
    };
    struct Message {
        TenureRequest request;
        TenureAnswer answer;
    };

    Fault fault = Fault::none;
    Row rows[2];
    std::uint8_t last_token = 0;
    std::optional<TenureRequest> requests[2];
    std::optional<Message> answers[2];
    TenureKeeper keeper{Tenure{}};
    Tenure in_force{};
    int seconds = 0;
    bool has_lost = false;  // a message, or a number
    const char *broken = nullptr;

    World() { keeper.configure(kConfig); }
    TenureClock clock() const { return at(seconds); }

    void obey(TenureEffect effect, const TenureToken &before) {
        if (effect == TenureEffect::none) return;
        if (effect == TenureEffect::lose && !has_lost) broken = "a number is lost, and nothing else was";
        has_lost = has_lost || effect == TenureEffect::lose;
        in_force = keeper.tenure();
        if (fault != Fault::extend_keeps_token || effect != TenureEffect::extend) return;
        in_force.token = before;
        resume();
    }
    void resume() {
        keeper = TenureKeeper(in_force);
        keeper.configure(kConfig);
    }

    // Requests that were sent may still be carried out.
    void hang_up() {
        for (auto &request : requests)
            if (request) request->number = 0;
        for (auto &answer : answers) answer.reset();
    }

    // An answer that is undone was not durable.
    void serve(std::optional<TenureRequest> &request, bool is_undone) {
        const Row before[2] = {rows[0], rows[1]};
        TenureAnswer answer = request->action == TenureAction::take ? take(*request, true) : renew(*request);
        answer.has_warning = is_undone;
        if (is_undone) std::copy(before, before + 2, rows);
        has_lost = has_lost || is_undone;
        const bool is_heard = request->number != 0;
        for (auto &free : answers)
            if (!free && is_heard) {
                free = Message{*request, answer};
                break;
            }
        request.reset();
    }
    TenureAnswer take(const TenureRequest &request, bool by_us) {
        Row *best = nullptr;
        for (Row &row : rows)
            if (row.expires <= clock().now_ns && row.until <= request.clock_ns && (!best || row.until < best->until))
                best = &row;
        if (!best) return kNoRow;
        const std::int64_t from = best->until;
        return given(*best, request, from, by_us);
    }
    TenureAnswer renew(const TenureRequest &request) {
        Row &row = rows[request.worker - 1];
        return token(row.token) == request.token ? given(row, request, 0, true) : kNoRow;
    }
    TenureAnswer given(Row &row, const TenureRequest &request, std::int64_t from, bool to_us) {
        row.until = std::max(row.until, request.clock_ns + millis(request.lease_ms));
        row.token = ++last_token;
        row.expires = clock().now_ns + millis(request.lease_ms);
        has_lost = has_lost || (row.is_ours && !to_us);
        row.is_ours = to_us;
        if (to_us) row.ours = row.until;
        const auto worker = static_cast<std::uint32_t>(&row - rows) + 1;
        return {TenureAnswer::Kind::row, false, worker, token(row.token), from, row.until, clock().now_ns, kRange};
    }
    void other_takes() {
        TenureRequest request{};
        request.clock_ns = clock().now_ns;
        request.lease_ms = 5000;
        take(request, false);
    }

    void hear(Message message) {
        if (fault == Fault::warning_is_answer) message.answer.has_warning = false;
        const TenureToken before = keeper.tenure().token;
        const TenureVerdict verdict = keeper.answered(message.request.number, message.answer, clock());
        obey(verdict.effect, before);
        if (fault == Fault::late_answer_counts && verdict.effect == TenureEffect::none)
            in_force.until_ns = std::max(in_force.until_ns, message.answer.until_ns);
    }

    void check() {
        if (in_force.worker == 0 || broken) return;
        if (in_force.until_ns > rows[in_force.worker - 1].ours) broken = "ids outside of what was given";
    }

    std::string key() const {
        std::string key(reinterpret_cast<const char *>(rows), sizeof rows);
        for (const auto &request : requests) append(key, request ? request->number << 8 | request->token.bytes[0] : 0);
        for (const auto &answer : answers) {
            append(key, answer ? answer->request.number << 8 | answer->answer.token.bytes[0] : 0);
            append(key, answer ? answer->answer.until_ns + answer->answer.has_warning : 0);
        }
        append(key, static_cast<std::uint64_t>(seconds) << 8 | static_cast<std::uint64_t>(keeper.state()));
        append(key, keeper.wake_ns());
        append(key, keeper.tenure().token.bytes[0]);
        append(key, in_force.until_ns + static_cast<std::int64_t>(in_force.worker) + has_lost * 16);
        return key;
    }
    template <typename T>
    static void append(std::string &key, T value) {
        key.append(reinterpret_cast<const char *>(&value), sizeof value);
    }
};

// Explores every step that is possible now, and everything that can follow.
class Explorer {
public:
    explicit Explorer(int depth) : depth_(depth) {}

    const char *explore(const World &world) {
        explore(world, 0);
        return broken_;
    }
    std::size_t count() const { return seen_.size(); }

private:
    template <typename Step>
    void then(const World &world, int depth, Step step) {
        if (broken_) return;
        World next = world;
        step(next);
        next.check();
        broken_ = next.broken;
        if (!broken_) explore(next, depth + 1);
    }

    void explore(const World &world, int depth) {
        if (depth == depth_ || !seen_.insert(std::to_string(depth) + world.key()).second) return;
        then(world, depth, [](World &w) { w.seconds += 3; });
        then(world, depth, [](World &w) { w.other_takes(); });
        ask_and_wait(world, depth);
        for (int i = 0; i < 2; ++i) {
            if (world.requests[i]) serve(world, depth, i);
            if (world.answers[i]) hear(world, depth, i);
        }
    }
    void ask_and_wait(const World &world, int depth) {
        const auto send = [](World &w) {
            auto &free = w.requests[0] ? w.requests[1] : w.requests[0];
            free = w.keeper.ask(w.clock());
        };
        if (world.keeper.is_due(world.clock()) && !(world.requests[0] && world.requests[1])) then(world, depth, send);
        if (world.keeper.deadline_ns() == TenureKeeper::kNever) return;
        then(world, depth, [](World &w) {
            w.has_lost = true;
            w.keeper.unanswered(w.clock());
        });
        then(world, depth, [](World &w) {  // another worker, which gets no answer
            w.has_lost = true;
            w.hang_up();
            w.resume();
        });
    }
    void serve(const World &world, int depth, int i) {
        if (world.answers[0] && world.answers[1]) return;
        then(world, depth, [i](World &w) { w.serve(w.requests[i], false); });
        then(world, depth, [i](World &w) { w.serve(w.requests[i], true); });
    }
    void hear(const World &world, int depth, int i) {
        then(world, depth, [i](World &w) { w.hear(*w.answers[i]); });  // it arrives a second time
        then(world, depth, [i](World &w) {
            const World::Message message = *w.answers[i];
            w.answers[i].reset();
            w.hear(message);
        });
    }

    int depth_;
    std::unordered_set<std::string> seen_;
    const char *broken_ = nullptr;
};

const char *broken_by(Fault fault, int depth) {
    World world;
    world.fault = fault;
    return Explorer(depth).explore(world);
}

TEST(TenureKeeper, HasWhatItWasGivenInAllOrdersOfMessages) {
    Explorer explorer(12);
    EXPECT_STREQ(explorer.explore(World()), nullptr);
    EXPECT_GT(explorer.count(), 200'000U);
    std::cout << explorer.count() << " states\n";
}

TEST(TenureKeeper, TheLawFindsAnAnswerThatCountsAfterALoss) {
    EXPECT_STREQ(broken_by(Fault::late_answer_counts, 11), "ids outside of what was given");
}
TEST(TenureKeeper, TheLawFindsARaiseWithoutItsToken) {
    EXPECT_STREQ(broken_by(Fault::extend_keeps_token, 11), "a number is lost, and nothing else was");
}
TEST(TenureKeeper, TheLawFindsAWarningThatIsTakenForAnAnswer) {
    EXPECT_STREQ(broken_by(Fault::warning_is_answer, 11), "ids outside of what was given");
}

}  // namespace
}  // namespace snowid::core
