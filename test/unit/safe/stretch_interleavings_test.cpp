// All interleavings of a session that keeps positions for later transactions with another caller, a sample of the safe
// horizon and a clock, on a machine that lets others see a store late; and with a change of the generator's number.
// What the random schedules of safe_horizon_model_test.cpp cannot show is a missing barrier. Each planted fault must be
// found.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <tuple>
#include <unordered_set>
#include <vector>

namespace snowid::core {
namespace {

namespace horizon {

enum class Fault {
    none,
    no_barrier,
    hold_of_own_tick,
    word_after_swap,
    ignores_words,
    holds_before_words,
    held_once,
    word_not_read,
    raised_by_store,
};

constexpr std::int8_t kPerTick = 2, kAge = 2, kClock = 4, kTransactions = 2, kIds = 3, kNone = 99, kRevoked = 98;
constexpr int tick_of(int position) { return position / kPerTick; }

enum class At : std::int8_t { idle, begun, enter, confirm, use, take, say, swap, say_late, leave, let_go };

struct Kept {
    std::int8_t position, tick;  // kNone: there is none
};

struct State {
    std::int8_t clock = 1, last = kPerTick - 1, hold = kNone, word = kNone;
    std::int8_t buffer[4][2] = {}, buffered = 0;  // stores that others do not see yet: to the hold (0) or the word (1)
    At at = At::idle;
    std::int8_t transactions = 0, ids = 0, now = 0, held = kNone, said = kNone, lowest = kNone;
    std::int8_t is_finished = 1, is_confirmed = 0, is_strict = 0, goes_on = 0, others = 0;
    Kept older{kNone, kNone}, younger{kNone, kNone};
    std::int8_t step = 0, p = 0, h = 0;              // of the sample
    std::int8_t forbidden = 0, forbidden_later = 0;  // below this no id may be made, now or by later transactions
    std::int8_t is_broken = 0;
};

class Model {
public:
    explicit Model(Fault fault) : fault_(fault) {}

    // Whether any interleaving breaks the law.
    bool is_broken() {
        std::vector<State> open{State{}};
        while (!open.empty()) {
            const State s = open.back();
            open.pop_back();
            if (s.is_broken) return true;
            if (!seen_.insert(print_of(s)).second) continue;
            for (int choice = 0; choice < 2; ++choice)
                if (State n = s; session(n, choice)) open.push_back(n);
            if (State n = s; n.buffered > 0) drain_one(n), open.push_back(n);
            if (State n = s; sample(n)) open.push_back(n);
            if (State n = s; n.others < 1) ++n.others, take_one(n), open.push_back(n);
            if (State n = s; n.clock < kClock) ++n.clock, open.push_back(n);
        }
        return false;
    }
    std::size_t states() const { return seen_.size(); }

private:
    static std::uint64_t print_of(const State &s) {
        static_assert(std::has_unique_object_representations_v<State>);
        std::uint64_t print = 0;
        for (std::size_t i = 0; i < sizeof s; i += 8) {
            std::uint64_t word = 0;
            std::memcpy(&word, reinterpret_cast<const char *>(&s) + i, std::min<std::size_t>(8, sizeof s - i));
            print = (print ^ word) * 0xBF58476D1CE4E5B9;
            print ^= print >> 29;
        }
        return print;
    }

    static std::int8_t take_one(State &s) {
        return s.last = static_cast<std::int8_t>(std::max<int>(s.last + 1, s.clock * kPerTick));
    }
    static void store(State &s, int what, int value) {
        s.buffer[s.buffered][0] = static_cast<std::int8_t>(what);
        s.buffer[s.buffered++][1] = static_cast<std::int8_t>(value);
    }
    static void drain_one(State &s) {
        (s.buffer[0][0] == 0 ? s.hold : s.word) = s.buffer[0][1];
        std::memmove(s.buffer, s.buffer + 1, sizeof s.buffer - sizeof *s.buffer);
        std::memset(s.buffer + 3, 0, sizeof *s.buffer);
        --s.buffered;
    }
    static void drain(State &s) {
        while (s.buffered > 0) drain_one(s);
    }
    static int own_word(const State &s) {
        for (int i = s.buffered; i-- > 0;)
            if (s.buffer[i][0] == 1) return s.buffer[i][1];
        return s.word;
    }
    static bool change_word(State &s, int from, int to) {
        drain(s);
        if (s.word != from) return false;
        s.word = static_cast<std::int8_t>(to);
        return true;
    }

    static void hold(State &s, int tick) {
        if (s.held <= tick) return;
        s.held = static_cast<std::int8_t>(tick);
        store(s, 0, tick);
    }
    static void give(State &s, int position) {
        s.lowest = static_cast<std::int8_t>(std::min<int>(s.lowest, tick_of(position)));
        if (tick_of(position) < s.forbidden) s.is_broken = 1;
        s.at = At::begun;
    }
    static void drop(State &s) {
        s.older = s.younger = {kNone, kNone};
        s.said = kNone;
        store(s, 1, kNone);
    }
    // The older one is used up or dropped.
    void end_older(State &s) const {
        s.older = std::exchange(s.younger, {kNone, kNone});
        if (s.older.position == kNone) return drop(s);
        const std::int8_t said = std::exchange(s.said, s.older.tick);
        if (fault_ == Fault::raised_by_store)
            store(s, 1, s.said);
        else if (!change_word(s, said, s.said))
            drop(s);
    }

    // A step of the session. Returns false if there is none.
    bool session(State &s, int choice) const {
        if (s.buffered > 2 || (choice > 0 && s.at != At::begun && s.at != At::use)) return false;
        switch (s.at) {
            case At::idle:
                if (s.transactions == kTransactions) return false;
                ++s.transactions;
                s.ids = s.is_finished = s.is_confirmed = s.goes_on = 0;
                s.held = s.lowest = kNone;
                s.forbidden = std::max(s.forbidden, s.forbidden_later);
                s.at = At::begun;
                return true;
            case At::begun:
                if (s.ids == kIds || (s.ids > 0 && choice == 1 && s.is_strict)) {
                    if (choice == 1) return false;
                    s.at = At::leave;
                    return true;
                }
                ++s.ids;
                s.is_strict = static_cast<std::int8_t>(choice);
                s.now = s.clock;
                s.at = s.is_strict ? At::take : At::enter;
                return true;
            case At::enter:
                if (s.older.position != kNone && s.now >= s.older.tick + kAge) {
                    end_older(s);
                    return true;
                }
                s.at = At::use;
                if (s.older.position == kNone) {
                    s.is_confirmed = 1;
                } else if (!s.is_confirmed) {
                    if (fault_ == Fault::held_once && s.held != kNone) return true;
                    hold(s, fault_ == Fault::hold_of_own_tick ? std::max<int>(s.now, tick_of(s.last + 1)) : s.said);
                    s.at = At::confirm;
                }
                return true;
            case At::confirm: {
                bool stands = true;
                if (fault_ == Fault::no_barrier)
                    stands = own_word(s) == s.said;
                else if (fault_ != Fault::word_not_read)
                    stands = change_word(s, s.said, s.said);
                if (!stands) drop(s);
                s.is_confirmed = 1;
                s.at = At::use;
                return true;
            }
            case At::use:  // a transaction may leave the older one for the next, and go on with another
                if (s.goes_on ? s.younger.position != kNone : s.older.position != kNone && choice == 0) {
                    if (s.goes_on) {
                        give(s, s.younger.position);
                        s.younger = {kNone, kNone};
                    } else {
                        give(s, s.older.position);
                        end_older(s);
                    }
                    return true;
                }
                if (choice == 1 && (s.goes_on || s.older.position == kNone || s.younger.position != kNone))
                    return false;
                s.goes_on = s.older.position != kNone;
                s.at = At::take;
                return true;
            case At::take:
                hold(s, std::max<int>(s.now, tick_of(s.last + 1)));
                s.at =
                    s.is_strict || s.older.position != kNone || fault_ == Fault::word_after_swap ? At::swap : At::say;
                return true;
            case At::say:
                s.said = s.now;
                store(s, 1, s.now);
                s.at = At::swap;
                return true;
            case At::swap: {
                drain(s);
                const int first = std::max<int>(s.last + 1, s.now * kPerTick), past = (s.now + 1) * kPerTick;
                if (s.is_strict || first + 1 >= past) {
                    if (!s.is_strict && s.older.position == kNone) drop(s);
                    give(s, take_one(s));
                    return true;
                }
                s.last = static_cast<std::int8_t>(first + 1);
                give(s, first);
                (s.goes_on ? s.younger : s.older) = {s.last, s.now};
                if (fault_ == Fault::word_after_swap && !s.goes_on) s.at = At::say_late;
                return true;
            }
            case At::say_late:
                s.said = s.older.tick;
                store(s, 1, s.said);
                s.at = At::begun;
                return true;
            case At::leave:
                drain(s);
                s.is_finished = 1;
                s.forbidden = 0;
                s.at = At::let_go;
                return true;
            case At::let_go:
                store(s, 0, kNone);
                s.held = s.lowest = kNone;
                s.at = At::idle;
                return true;
        }
        return false;
    }

    void read_word(State &s) const {
        if (fault_ == Fault::ignores_words || s.word == kNone || s.word == kRevoked) return;
        if (s.clock >= s.word + kAge)
            s.word = kRevoked;
        else
            s.h = std::min(s.h, s.word);
    }
    bool sample(State &s) const {
        switch (s.step++) {
            case 0: {
                const int end = (tick_of(s.last) + 1) * kPerTick - 1;
                if (s.clock > tick_of(s.last)) s.last = static_cast<std::int8_t>(end);
                s.p = s.last;
                s.h = static_cast<std::int8_t>(tick_of(s.p + 1));
                return true;
            }
            case 1: fault_ == Fault::holds_before_words ? read_hold(s) : read_word(s); return true;
            case 2: fault_ == Fault::holds_before_words ? read_word(s) : read_hold(s); return true;
            case 3:  // the snapshot
                s.forbidden_later = s.h;
                if (s.is_finished) return true;
                s.forbidden = s.h;
                if (s.lowest < s.h) s.is_broken = 1;
                return true;
            default: return false;
        }
    }
    static void read_hold(State &s) { s.h = std::min(s.h, s.hold); }

    Fault fault_;
    std::unordered_set<std::uint64_t> seen_;
};

TEST(StretchInterleavings, LeaveNoRowBelowTheHorizon) {
    Model model(Fault::none);
    EXPECT_FALSE(model.is_broken());
    EXPECT_GT(model.states(), 100'000U);
    std::cout << model.states() << " states\n";
}

class BrokenStretches : public testing::TestWithParam<Fault> {};

TEST_P(BrokenStretches, AreFound) { EXPECT_TRUE(Model(GetParam()).is_broken()); }

INSTANTIATE_TEST_SUITE_P(Planted, BrokenStretches,
                         testing::Values(Fault::no_barrier, Fault::hold_of_own_tick, Fault::word_after_swap,
                                         Fault::ignores_words, Fault::holds_before_words, Fault::held_once,
                                         Fault::word_not_read, Fault::raised_by_store));

}  // namespace horizon

namespace number {

// The generator gets a number that another one had, which made the positions up to kUsed with it. No id is made twice.
enum class Fault { none, survives_prepare, version_not_read, version_without_lock };

constexpr int kOld = 5, kNew = 7, kUsed = 11, kPerTick = 4;

struct State {
    int version = 1, number = kOld, last = 2, changing = 0;                     // the generator, and a change of it
    int at = 0, known = 0, number_read = 0, position = 0, first = 0, kept = 0;  // the session
    bool is_ready = false;
    int left = 3;
    std::set<std::pair<int, int>> made;

    auto all() const {
        return std::tie(version, number, last, changing, at, known, number_read, position, first, kept, is_ready, left,
                        made);
    }
    friend bool operator<(const State &a, const State &b) { return a.all() < b.all(); }
};

bool makes_an_id_twice(Fault fault) {
    std::set<State> seen;
    std::vector<State> open{State{}};
    while (!open.empty()) {
        const State s = open.back();
        open.pop_back();
        if (!seen.insert(s).second) continue;
        State n = s;
        switch (n.changing++) {
            case 0: ++n.version; break;
            case 1: n.last = (n.last / kPerTick + 1) * kPerTick - 1; break;
            case 2: n.last = std::max(n.last, kUsed); break;
            case 3: n.number = kNew; break;
            default: n = s;
        }
        open.push_back(n);
        n = s;
        const bool is_locked = s.changing > 0 && s.changing < 4 && fault != Fault::version_without_lock;
        if (s.at == 0 && s.is_ready) {  // it hears of some change
            n.is_ready = false;
            open.push_back(n);
            n = s;
        }
        if (s.at == 0 && s.left > 0 && !s.is_ready) {
            if (is_locked) continue;
            n.known = s.version;
            n.is_ready = true;
            if (fault != Fault::survives_prepare) n.kept = 0;
        } else if (s.at == 0 && s.left > 0) {
            n.number_read = s.number;
            n.at = 1;
        } else if (s.at == 1) {
            if (s.kept == 0) n.first = s.last + 1, n.kept = 2, n.last = s.last + 2;
            n.position = n.first++;
            --n.kept;
            n.at = 2;
        } else if (s.at == 2) {
            n.at = 0;
            if (s.version != s.known && fault != Fault::version_not_read) {
                n.is_ready = false;
            } else {
                if (s.number_read == kNew && s.position <= kUsed) return true;
                if (!n.made.insert({s.number_read, s.position}).second) return true;
                --n.left;
            }
        }
        open.push_back(n);
    }
    return false;
}

TEST(StretchInterleavings, GiveNoNumberAnIdOfItsFormerOwner) {
    EXPECT_FALSE(makes_an_id_twice(Fault::none));
    for (const Fault fault : {Fault::survives_prepare, Fault::version_not_read, Fault::version_without_lock})
        EXPECT_TRUE(makes_an_id_twice(fault)) << static_cast<int>(fault);
}

}  // namespace number

}  // namespace
}  // namespace snowid::core
