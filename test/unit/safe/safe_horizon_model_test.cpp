// A model of writers, parallel workers, prepared transactions and pollers that ask for the safe horizon. They take
// turns at every step, even in the middle of a sample. The server crashes, the clock steps, and workers change. The
// core's own code decides. What PostgreSQL does is modelled in the order of its sources. The law: every row below an
// answer that is ever committed is visible to the snapshot that got the answer. The model must catch each way of
// breaking it.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "core/safe/sample.hpp"
#include "layout/random_layout.hpp"
#include "random.hpp"

namespace snowid::core {
namespace {

using test::below;
using test::layout_of;

enum class Fault {
    none,
    hold_after_take,
    let_go_before_end,
    position_after_rows,
    exact_ids,
    no_fit,
    two_answers,
    prepared_row_late,
    prepared_after_snapshot,
    no_first_xid,
    leader_not_cleared,
    held_once,
    forgets_the_ninth,
    keeps_the_database,
    hold_of_own_tick,
    word_after_take,
    ignores_words,
    words_live_for_ever,
    holds_before_words,
    held_stands_for_confirmed,
    word_not_confirmed,
    word_raised_by_store,
};

constexpr int kSessions = 5, kWorkers = 2, kDummies = 3, kDatabases = 2, kGenerators = 10;
constexpr std::int64_t kTick = 1'000'000;
using Xid = std::uint32_t;

struct Transaction {
    Xid xid = 0;
    enum State { running, prepared, committed, aborted } state = running;
    std::set<std::pair<int, std::uint64_t>> ids;  // generator, id
    bool must_not_commit = false;
};

struct Snapshot {
    Xid end;
    std::vector<Xid> running;
    Finished finished() const { return {end, running}; }
    bool sees(const Transaction &t) const {
        return t.xid != 0 && t.state == Transaction::committed && precedes(t.xid, end) &&
               std::find(running.begin(), running.end(), t.xid) == running.end();
    }
};

struct Generator {
    Timeline timeline;
    std::uint64_t worker = 1;
    std::uint64_t version = 1;
    std::map<int, std::uint64_t> answered;  // the highest answer, by database
};

struct Kept {
    Stretches stretches;
    OwnWord word;
    std::uint64_t version = 0;
    bool is_confirmed = false;  // in this transaction
};

struct Reading {
    Answers answers;
    std::vector<std::uint32_t> memory;
    std::uint64_t version = 0;
};

struct Session {
    int number = 0;
    int leader = -1;  // of a parallel worker
    std::uint32_t database = 0;
    bool has_held = false;
    std::shared_ptr<Transaction> transaction;
    std::uint32_t lxid = 0;
    bool is_listed = false;  // in PostgreSQL's list of running transactions, with the xid
    bool is_asking = false;
    int ending = 0;  // the next step of the end
    bool preparing = false;
    int dummy = -1;
    std::map<int, Kept> kept;  // by generator
    // Taking an id.
    int taking = 0, spreading = 0;  // the next step
    int generator = 0;
    std::uint64_t worker = 0, version = 0;
    std::int64_t now = 0;
    std::uint64_t position = 0;
    std::uint64_t count = 0;
    std::map<int, std::int64_t> held;
    std::map<int, std::uint64_t> known;  // versions
    // Asking.
    std::optional<Snapshot> repeatable;
    std::vector<std::pair<Snapshot, std::map<int, std::uint64_t>>> said;
    std::map<int, Reading> readings;
};

struct Dummy {
    std::shared_ptr<Transaction> transaction;
    Xid xid = 0;  // left where it was when the transaction is finished
    std::uint32_t database = 0;
    bool is_listed = false, is_free = true, is_locked = false;
};

class Model {
public:
    Model(Fault fault, std::mt19937_64 &random) : fault_(fault), random_(random) {
        next_ =
            chance(2) ? static_cast<Xid>(0x7FFF'FFF0 + below(random_, 32)) : static_cast<Xid>(1000 + random_() % 1000);
        whole_next_ = (5ULL << 32) + next_;
        latest_ = next_ - 1;
        start();
    }

    // Returns what went wrong, or an empty text.
    std::string run(int steps) {
        for (int i = 0; i < steps && lost_.empty(); ++i) step_any();
        if (lost_.empty()) settle();
        return lost_;
    }
    int answers() const { return answers_; }
    int nonzero() const { return nonzero_; }

private:
    bool chance(std::uint64_t n) { return below(random_, n) == 0; }

    void start() {
        for (int i = 0; i < kSessions + kWorkers; ++i) {
            Session &s = sessions_[i];
            const std::uint32_t lxid = s.lxid;
            s = {};
            s.number = i;
            s.lxid = lxid;
            s.database = 1 + static_cast<std::uint32_t>(below(random_, kDatabases));
            rows_[i] = std::make_unique<Holder>();
        }
        for (int i = 0; i < kDummies; ++i) dummy_rows_[i] = std::make_unique<Holder>();
        first_.reset();
        for (Generator &g : generators_) {
            ++g.version;
            const std::int64_t tick = std::max(ticks_.tick_of(g.timeline.last()), ticks_.at({now_}));
            g.timeline.rewind_to(ticks_.floor(tick + 2) - 1);
        }
    }

    void crash() {
        for (Session &s : sessions_) {
            if (s.transaction && s.dummy >= 0 && dummies_[s.dummy].is_listed)
                dummies_[s.dummy].is_locked = false;  // the record of PREPARE is flushed
            else if (s.transaction && s.transaction->state == Transaction::running)
                s.transaction->state = Transaction::aborted;
        }
        for (Dummy &d : dummies_)
            if (!d.is_listed) d = {};
        latest_ = next_ - 1;
        start();
    }

    void set_first() {
        if (!first_) first_ = whole_next_;
    }

    void step_any() {
        if (chance(40)) pass(static_cast<std::int64_t>(below(random_, 3)) * kTick / 2);
        if (chance(200)) now_ += (static_cast<std::int64_t>(below(random_, 7)) - 3) * kTick;
        if (chance(keeps_ ? 30 : 300)) pass(static_cast<std::int64_t>(below(random_, 80)) * kTick);
        if (keeps_ && chance(40)) now_ += (static_cast<std::int64_t>(below(random_, 3)) - 1) * 70 * kTick;
        if (chance(120)) change_worker(generators_[below(random_, kGenerators)]);
        if (depth_ == 0 && chance(900)) return crash();
        if (chance(12)) finish_prepared(dummies_[below(random_, kDummies)]);
        Session &s = sessions_[below(random_, kSessions + kWorkers)];
        if (!s.is_asking) step(s);
    }

    void pass(std::int64_t ns) {
        now_ += ns;
        elapsed_ += ns;
    }

    void change_worker(Generator &g) {
        ++g.version;
        g.timeline.finish_tick(ticks_);
        g.worker = below(random_, 8);
    }

    void step(Session &s) {
        if (s.number >= kSessions) return step_worker(s);
        if (s.ending > 0) return step_end(s);
        if (s.taking > 0) return step_take(s);
        if (s.spreading > 0) return step_spread(s);
        if (!s.transaction) return chance(3) ? begin(s) : chance(6) ? connect(s) : void();
        switch (below(random_, 12)) {
            case 0:
            case 1:
            case 2: return keeps_ || chance(4) ? begin_spread(s) : begin_take(s);
            case 3: return give_xid(*s.transaction, s);
            case 4:
            case 5:
            case 6: return ask(s);
            case 7: return start_worker(s);
            case 8:
                if (!s.repeatable) s.repeatable = snapshot(s);
                return;
            case 9:
                if (chance(3)) return abort(s);
                return;
            case 10:
                if (chance(3)) return begin_end(s, true);
                return;
            default: return begin_end(s, false);
        }
    }

    // Another process gets the place of one that has ended.
    void connect(Session &s) {
        s.database = 1 + static_cast<std::uint32_t>(below(random_, kDatabases));
        if (fault_ != Fault::keeps_the_database) s.has_held = false;
        s.known.clear();
        s.kept.clear();  // and the words of that process stay in the row
        s.readings.clear();
    }

    void begin(Session &s) {
        s.transaction = std::make_shared<Transaction>();
        ++s.lxid;
        s.said.clear();
        s.repeatable.reset();
    }

    void give_xid(Transaction &t, Session &s) {
        if (t.xid != 0) return;
        t.xid = next_++;
        ++whole_next_;
        s.is_listed = true;
    }

    // Workers take ids for their leader, and write into its row.
    void start_worker(Session &leader) {
        Session &w = sessions_[kSessions + below(random_, kWorkers)];
        if (w.leader >= 0) return;
        w.leader = leader.number;
        w.database = leader.database;
        w.has_held = false;
        w.transaction = leader.transaction;
        w.held.clear();
    }
    void step_worker(Session &w) {
        if (w.leader < 0) return;
        if (w.taking > 0) return step_take(w);
        if (chance(2)) return begin_take(w);
        if (chance(4)) end_worker(w);
    }
    void end_worker(Session &w) {
        w.leader = -1;
        w.taking = 0;
        w.transaction.reset();
    }
    bool has_workers(const Session &s) const {
        return std::any_of(sessions_ + kSessions, sessions_ + kSessions + kWorkers,
                           [&](const Session &w) { return w.leader == s.number; });
    }

    Holder &row_for(const Session &s) { return *rows_[s.leader >= 0 ? s.leader : s.number]; }

    void begin_take(Session &s) {
        s.generator = static_cast<int>(chance(2) ? 0 : below(random_, kGenerators));
        s.count = 1 + below(random_, 3);
        s.taking = 1;
    }

    void hold(Session &s) {
        Generator &g = generators_[s.generator];
        set_first();
        if (s.known[s.generator] != s.version) s.held.erase(s.generator);
        s.known[s.generator] = s.version;
        const std::int64_t from = g.timeline.earliest_next(ticks_, ticks_.at({s.now})).value;
        const auto held = s.held.find(s.generator);
        if (held != s.held.end() && (held->second <= from || fault_ == Fault::held_once)) return;
        s.held[s.generator] = from;
        if (fault_ == Fault::forgets_the_ninth && s.held.size() > Holder::kPairs) return;
        hold_from(s, from);
    }
    void hold_from(Session &s, std::int64_t from) {
        if (!std::exchange(s.has_held, true)) {
            if (s.leader < 0)
                for (Word &word : row_for(s).words()) word.end();
            row_for(s).belong_to(s.database);
        }
        row_for(s).hold(s.generator, {from});
    }

    // The steps of an id, of a batch, and of one whose tick is full.
    void step_take(Session &s) {
        Generator &g = generators_[s.generator];
        switch (s.taking++) {
            case 1:
                s.worker = g.worker;
                s.version = g.version;
                s.now = now_;
                return;
            case 2:
                if (fault_ == Fault::hold_after_take)
                    ++s.taking, take(s, g);
                else
                    hold(s);
                return;
            case 3: return take(s, g);
            case 4:
                if (fault_ == Fault::hold_after_take) hold(s);
                return;
            default: keep_ids(s, g);
        }
    }
    void take(Session &s, Generator &g) {
        if (chance(8)) {  // the horizon must be advanced first, and that fails
            s.count = 0;
            return;
        }
        const TickWindow window = ticks_.window({s.now}, ~0ULL);
        const Run run = g.timeline.take_run(ticks_, window, s.count);
        s.position = run.count == 0 ? 0 : run.first;
        s.count = run.count;
        if (run.count != 0) return;
        const ClockPolicy any{.wait_ticks = 0, .drift_ticks = INT64_MAX / 2};
        s.position = g.timeline.take(ticks_, any, g.timeline.last(), {s.now}, ~0ULL).position;
        s.count = 1;
    }
    void keep_ids(Session &s, Generator &g) {
        s.taking = 0;
        if (g.version != s.version) return;
        for (; s.count > 0; --s.count, ++s.position) {
            const std::uint64_t id = id_of(s.position, s.worker);
            s.transaction->ids.insert({s.generator, id});
            const auto answered = g.answered.find(static_cast<int>(s.database));
            if (answered != g.answered.end() && id < answered->second) forbid(*s.transaction, "an id below an answer");
        }
    }
    // An id of T_spread(), as SnowflakeGenerator makes it.
    void begin_spread(Session &s) {
        s.generator = static_cast<int>(keeps_ || chance(2) ? 0 : below(random_, kGenerators));
        s.spreading = 1;
    }
    void step_spread(Session &s) {
        Generator &g = generators_[s.generator];
        Kept &k = s.kept[s.generator];
        switch (s.spreading++) {
            case 1:  // prepares, and looks
                s.worker = g.worker;
                s.version = g.version;
                if (s.known[s.generator] != s.version) s.held.erase(s.generator);
                s.known[s.generator] = s.version;
                if (std::exchange(k.version, s.version) != s.version) drop(k);
                s.now = now_;
                k.stretches.begin(3, 3);
                if (fault_ != Fault::words_live_for_ever) k.stretches.look({elapsed_, {now_}});
                return follow(k, s);
            case 2: {
                if (k.is_confirmed) return;
                k.stretches.begin_transaction();
                if (k.stretches.left() == 0) return;
                set_first();
                const auto held = s.held.find(s.generator);
                if (fault_ == Fault::held_stands_for_confirmed && held != s.held.end()) {
                    k.is_confirmed = true;
                    return;
                }
                const std::int64_t own = g.timeline.earliest_next(ticks_, ticks_.at({s.now})).value;
                const std::int64_t from = fault_ == Fault::hold_of_own_tick ? own : k.word.from();
                if (held != s.held.end() && held->second <= from) return;
                s.held[s.generator] = from;
                return hold_from(s, from);
            }
            case 3:
                if (!std::exchange(k.is_confirmed, true) && k.stretches.left() != 0 &&
                    fault_ != Fault::word_not_confirmed && !k.word.stands())
                    drop(k);
                s.position = k.stretches.take();
                s.count = 1;
                if (s.position == 0) return next_stretch(s, k);
                s.spreading = 0;
                return keep_ids(s, g);
            case 4: return hold(s);
            case 5:
                if (k.stretches.left() == 0 && fault_ != Fault::word_after_take &&
                    !k.word.say(&row_for(s), s.generator, ticks_.start(ticks_.at({s.now})).value))
                    s.spreading = 7;
                return;
            case 6: {
                const std::int64_t tick = ticks_.at({s.now});
                const Run run = g.timeline.take_stretch(ticks_, ticks_.window_of(tick, ~0ULL), 3);
                s.position = 0;
                if (run.count != 0) {
                    k.stretches.add(run, {ticks_.start(tick), ticks_.start(tick + 1)});
                    s.position = k.stretches.take();
                } else if (k.stretches.left() == 0) {
                    k.word.end();
                }
                return;
            }
            case 7:
                if (fault_ == Fault::word_after_take && k.stretches.left() != 0 && k.word.from() == kNotHeld)
                    (void)k.word.say(&row_for(s), s.generator, ticks_.start(ticks_.at({s.now})).value);
                if (s.position == 0) take(s, g);
                s.spreading = 0;
                return keep_ids(s, g);
        }
    }
    void next_stretch(Session &s, Kept &k) {
        if (k.stretches.go_on()) {
            s.spreading = 3;
        } else {
            k.stretches.make_room();
        }
        follow(k, s);
    }
    void follow(Kept &k, Session &s) {
        const std::int64_t oldest = k.stretches.oldest_ns();
        if (fault_ == Fault::word_raised_by_store && oldest != k.word.from() && oldest != kNotHeld) {
            k.word.end();
            (void)k.word.say(&row_for(s), s.generator, oldest);
        } else if (!k.word.follow(oldest)) {
            drop(k);
        }
    }
    static void drop(Kept &k) {
        k.stretches.drop();
        k.word.end();
    }

    // The worker is above the sequence.
    static std::uint64_t id_of(std::uint64_t position, std::uint64_t worker) {
        return (position & ~3ULL & ~31ULL) | worker << 2 | (position & 3);
    }

    void begin_end(Session &s, bool prepare) {
        if (has_workers(s)) return;
        if (prepare) {
            const auto free = std::find_if(dummies_, dummies_ + kDummies, [](const Dummy &d) { return d.is_free; });
            if (free == dummies_ + kDummies) return;
            s.dummy = static_cast<int>(free - dummies_);
            free->is_free = false;
        }
        if (prepare || !s.transaction->ids.empty()) give_xid(*s.transaction, s);
        s.preparing = prepare;
        s.ending = 1;
    }

    void step_end(Session &s) {
        if (s.preparing) return step_prepare(s);
        switch (s.ending++) {
            case 1: return commit(*s.transaction);  // clog
            case 2: return fault_ == Fault::let_go_before_end ? let_go(s) : leave_list(s);
            default:
                if (fault_ == Fault::let_go_before_end) leave_list(s);
                let_go(s);
                return end_session_transaction(s);
        }
    }
    void step_prepare(Session &s) {
        Dummy &d = dummies_[s.dummy];
        switch (s.ending++) {
            case 1:  // the dummy's process gets the xid, and is listed after the record is flushed
                d.transaction = s.transaction;
                d.xid = s.transaction->xid;
                d.database = s.database;
                d.is_locked = true;
                return;
            case 2: d.is_listed = true; return;
            case 3: s.is_listed = false; return;
            case 4:
                if (fault_ == Fault::prepared_row_late)
                    let_go(s);
                else
                    dummy_rows_[s.dummy]->take_over(*rows_[s.number], d.xid);
                return;
            case 5:
                if (fault_ == Fault::prepared_row_late) return;  // it has nothing left to hand over
                return let_go(s);
            default:
                s.transaction->state = Transaction::prepared;
                d.is_locked = false;
                s.dummy = -1;
                end_session_transaction(s);
        }
    }
    void leave_list(Session &s) {
        if (s.transaction->xid != 0) complete(s.transaction->xid);
        s.is_listed = false;
    }
    void complete(Xid xid) {
        if (precedes(latest_, xid)) latest_ = xid;
    }
    void let_go(Session &s) {
        if (fault_ == Fault::leader_not_cleared && s.held.empty()) return;
        rows_[s.number]->let_go();
    }
    void end_session_transaction(Session &s) {
        s.ending = 0;
        s.held.clear();
        for (auto &[generator, kept] : s.kept) kept.is_confirmed = false;
        s.transaction.reset();
    }
    void abort(Session &s) {
        for (int i = kSessions; i < kSessions + kWorkers; ++i)
            if (sessions_[i].leader == s.number) end_worker(sessions_[i]);
        s.transaction->state = Transaction::aborted;
        leave_list(s);
        let_go(s);
        end_session_transaction(s);
    }
    void finish_prepared(Dummy &d) {
        if (!d.is_listed || d.is_locked) return;
        if (chance(3))
            d.transaction->state = Transaction::aborted;
        else
            commit(*d.transaction);
        d.is_listed = false;
        complete(d.xid);
        d.is_free = true;
        d.transaction.reset();
    }

    void commit(Transaction &t) {
        t.state = Transaction::committed;
        if (t.must_not_commit && !t.ids.empty()) lost_ = why_;
    }
    void forbid(Transaction &t, const char *why) {
        why_ = why;
        t.must_not_commit = true;
        if (t.state == Transaction::committed) lost_ = why;
    }

    Snapshot snapshot(const Session &of) {
        Snapshot s{latest_ + 1, {}};
        for (const Session &other : sessions_)
            if (&other != &of && other.is_listed && precedes(other.transaction->xid, s.end))
                s.running.push_back(other.transaction->xid);
        for (const Dummy &d : dummies_)
            if (d.is_listed && precedes(d.xid, s.end)) s.running.push_back(d.xid);
        return s;
    }

    // Other processes run in the meantime.
    void pause() {
        if (depth_ >= 3) return;
        ++depth_;
        for (std::uint64_t n = below(random_, 12); n > 0; --n) step_any();
        --depth_;
    }

    // What a sample asks of the server, with other processes running in between.
    struct Server {
        Model &m;
        Session &s;
        int generator;
        std::vector<PreparedHolder> held;
        std::int64_t held_first = kNotHeld;

        UnixNanos now() {
            m.pause();
            return {m.now_};
        }
        std::int64_t earliest_word(std::int64_t old) {
            if (m.fault_ == Fault::holds_before_words) read_held();
            std::int64_t earliest = kNotHeld;
            if (m.fault_ == Fault::ignores_words) return earliest;
            for (auto &row : m.rows_) {
                m.pause();
                earliest = std::min(earliest, row->earliest_word(
                                                  s.database, [&](std::int64_t g) { return g == generator; },
                                                  m.fault_ == Fault::words_live_for_ever ? INT64_MIN : old));
            }
            return earliest;
        }
        std::int64_t earliest_held() {
            if (m.fault_ != Fault::holds_before_words) read_held();
            return held_first;
        }
        void read_held() {
            std::int64_t earliest = kNotHeld;
            for (auto &row : m.rows_) {
                m.pause();
                earliest =
                    std::min(earliest, row->earliest(s.database, [&](std::int64_t g) { return g == generator; }));
            }
            held_first = earliest;
        }
        std::span<const PreparedHolder> prepared() {
            if (m.fault_ != Fault::prepared_after_snapshot) read_prepared();
            return held;
        }
        void read_prepared() {
            for (int i = 0; i < kDummies; ++i) {
                const Dummy &d = m.dummies_[i];
                const Xid xid = d.xid;
                if (xid == 0 || d.database != s.database) continue;
                m.pause();
                const std::int64_t from = prepared_from(*m.dummy_rows_[i], s.database, xid, m.whole_next_,
                                                        m.fault_ == Fault::no_first_xid ? 0 : *m.first_,
                                                        [&](std::int64_t g) { return g == generator; });
                if (from != kNotHeld) held.push_back({xid, from});
            }
        }
        std::uint32_t next_xid() {
            m.pause();
            return m.next_;
        }
        void take_snapshot(Sample &to) {
            m.pause();
            Snapshot taken = m.snapshot(s);
            std::sort(taken.running.begin(), taken.running.end());
            to.end = taken.end;
            to.count = static_cast<std::uint32_t>(taken.running.size());
            std::copy(taken.running.begin(), taken.running.end(), to.running);
        }
    };

    void sample(Session &s, Generator &g, Sample &to) {
        Server server{*this, s, static_cast<int>(&g - generators_), {}, kNotHeld};
        set_first();
        if (fault_ == Fault::position_after_rows) return sample_backwards(server, g, to);
        if (fault_ == Fault::prepared_after_snapshot) return sample_prepared_last(server, g, to);
        const std::uint64_t worker = g.worker;
        make_sample(to, g.timeline, ticks_, server);
        if (fault_ == Fault::exact_ids) to.safe_horizon += worker << 2;
    }
    void sample_backwards(Server &server, Generator &g, Sample &to) {
        const std::int64_t held = server.earliest_held();
        make_sample(to, g.timeline, ticks_, server);
        const std::int64_t tick = ticks_.tick_of(g.timeline.end_past_tick(ticks_, {now_}) + 1);
        to.safe_horizon = ticks_.floor(std::min(held == kNotHeld ? tick : ticks_.at({held}), tick));
    }
    // A transaction that ended after the snapshot is no longer found.
    void sample_prepared_last(Server &server, Generator &g, Sample &to) {
        make_sample(to, g.timeline, ticks_, server);
        for (int i = 0; i < kDummies; ++i) {
            pause();
            if (!dummies_[i].is_listed) continue;
            const Xid xid = dummies_[i].xid;
            const std::int64_t from = prepared_from(*dummy_rows_[i], server.s.database, xid, whole_next_, *first_,
                                                    [&](std::int64_t n) { return n == server.generator; });
            if (from != kNotHeld) to.safe_horizon = std::min(to.safe_horizon, ticks_.floor(ticks_.at({from})));
        }
    }

    // For others, the exporter's own transaction is running.
    static Snapshot exported(const Session &of) {
        Snapshot s = *of.repeatable;
        if (of.is_listed && precedes(of.transaction->xid, s.end)) s.running.push_back(of.transaction->xid);
        return s;
    }

    void ask(Session &s) {
        Snapshot of = s.repeatable ? *s.repeatable : snapshot(s);
        if (chance(8) && !s.said.empty())
            of = s.said[below(random_, s.said.size())].first;  // of a cursor
        else if (chance(8)) {                                  // imported
            const Session &other = sessions_[below(random_, kSessions)];
            if (other.repeatable && other.transaction && other.ending == 0 && other.database == s.database)
                of = exported(other);
        }
        const int g = static_cast<int>(keeps_ || chance(2) ? 0 : below(random_, kGenerators));
        s.is_asking = true;
        if (chance(3)) pause();
        const std::uint64_t horizon = answer(s, g, of);
        s.is_asking = false;
        check(s, g, of, horizon);
    }

    std::uint64_t answer(Session &s, int g, const Snapshot &of) {
        Reading &r = s.readings[g];
        if (r.memory.empty()) {
            r.memory.resize(Answers::kArrays * 32);
            r.answers.use(r.memory.data(), 32);
        }
        if (r.version != generators_[g].version) r.answers.forget_sample();
        r.version = generators_[g].version;
        std::uint64_t fresh = 0;
        const std::uint64_t horizon = r.answers
                                          .answer(fault_ == Fault::two_answers ? ++asked_ : s.lxid, of.finished(),
                                                  [&](Sample &to) {
                                                      sample(s, generators_[g], to);
                                                      fresh = to.safe_horizon;
                                                  })
                                          .value();
        return fault_ == Fault::no_fit && fresh != 0 ? fresh : horizon;
    }

    void check(Session &s, int g, const Snapshot &of, std::uint64_t horizon) {
        ++answers_;
        nonzero_ += horizon != 0;
        for (auto &[known, said] : s.said)
            if (fault_ != Fault::no_fit && known.end == of.end && known.running == of.running && said.contains(g) &&
                said[g] != horizon)
                lost_ = "two answers to one snapshot";
        s.said.push_back({of, {{g, horizon}}});
        std::uint64_t &highest = generators_[g].answered[static_cast<int>(s.database)];
        highest = std::max(highest, horizon);
        const auto look = [&](const std::shared_ptr<Transaction> &t, std::uint32_t database) {
            if (!t || database != s.database || t->state == Transaction::aborted) return;
            const auto first = t->ids.lower_bound({g, 0});
            if (first == t->ids.end() || first->first != g || first->second >= horizon || of.sees(*t)) return;
            forbid(*t, "a row below the answer");
        };
        for (const auto &[t, database] : past_) look(t, database);
        for (const Session &other : sessions_) {
            look(other.transaction, other.database);
            if (other.transaction && other.number < kSessions) remember(other.transaction, other.database);
        }
        for (const Dummy &d : dummies_) look(d.transaction, d.database);
    }
    // An old snapshot may have seen transactions as running that end later.
    void remember(const std::shared_ptr<Transaction> &t, std::uint32_t database) {
        past_.push_back({t, database});
        if (past_.size() > 60) past_.erase(past_.begin(), past_.begin() + 30);
    }

    // When everything has ended, the horizon goes past all ids.
    void settle() {
        for (Session &s : sessions_) {
            if (s.number >= kSessions || !s.transaction) continue;
            while (s.ending > 0) step_end(s);
            s.taking = s.spreading = 0;
            if (s.transaction) abort(s);
        }
        for (Dummy &d : dummies_) {
            d.is_locked = false;
            finish_prepared(d);
        }
        std::uint64_t last = 0;
        for (const Generator &g : generators_) last = std::max(last, g.timeline.last());
        now_ = std::max(now_, ticks_.start(ticks_.tick_of(last) + 2).value) + Stretches::kLongestNs;
        depth_ = 3;
        for (int g = 0; g < kGenerators && lost_.empty(); ++g) {
            Session &s = sessions_[0];
            begin(s);
            answer(s, g, snapshot(s));
            begin(s);
            if (answer(s, g, snapshot(s)) <= generators_[g].timeline.last() - 3) lost_ = "the horizon stands still";
            s.transaction.reset();
        }
    }

    Fault fault_;
    std::mt19937_64 &random_;
    const bool keeps_ = chance(2);  // a schedule of sessions that keep positions of one generator, and sleep
    const Layout layout_ = layout_of("epoch=2024-01-01,tick=1ms,time=41,worker=3,sequence=2");
    const Ticks ticks_{layout_};
    std::int64_t now_ = to_nanos(test::kNow).value;
    std::int64_t elapsed_ = 0;
    Xid next_, latest_;
    std::uint64_t whole_next_ = 0;
    std::optional<std::uint64_t> first_;
    Generator generators_[kGenerators];
    Session sessions_[kSessions + kWorkers];
    std::unique_ptr<Holder> rows_[kSessions + kWorkers], dummy_rows_[kDummies];
    Dummy dummies_[kDummies];
    std::vector<std::pair<std::shared_ptr<Transaction>, std::uint32_t>> past_;
    std::uint32_t asked_ = 0;
    int depth_ = 0, answers_ = 0, nonzero_ = 0;
    const char *why_ = "";
    std::string lost_;
};

constexpr int kSchedules = 3000, kSteps = 400;

TEST(SafeHorizonModel, NoPollerMissesARow) {
    std::mt19937_64 random = test::seeded_random();
    int answers = 0, nonzero = 0;
    for (int i = 0; i < test::rounds(kSchedules); ++i) {
        const std::uint64_t seed = random();
        std::mt19937_64 schedule(seed);
        Model model(Fault::none, schedule);
        ASSERT_EQ(model.run(kSteps), "") << "schedule " << i << ", its seed " << seed;
        answers += model.answers();
        nonzero += model.nonzero();
    }
    EXPECT_GT(nonzero, answers / 3);
    std::cout << answers << " answers, " << nonzero << " above 0\n";
}

class SafeHorizonFault : public testing::TestWithParam<Fault> {};

TEST_P(SafeHorizonFault, IsCaught) {
    std::mt19937_64 random = test::seeded_random();
    for (int i = 0; i < 8 * kSchedules; ++i) {
        const std::uint64_t seed = random();
        std::mt19937_64 schedule(seed);
        Model model(GetParam(), schedule);
        if (const std::string lost = model.run(kSteps); !lost.empty()) {
            std::cout << "schedule " << i << ", its seed " << seed << ": " << lost << '\n';
            return;
        }
    }
    FAIL() << "the fault was not noticed";
}

INSTANTIATE_TEST_SUITE_P(Planted, SafeHorizonFault,
                         testing::Values(Fault::hold_after_take, Fault::let_go_before_end, Fault::position_after_rows,
                                         Fault::exact_ids, Fault::no_fit, Fault::two_answers, Fault::prepared_row_late,
                                         Fault::prepared_after_snapshot, Fault::no_first_xid, Fault::leader_not_cleared,
                                         Fault::held_once, Fault::forgets_the_ninth, Fault::keeps_the_database,
                                         Fault::hold_of_own_tick, Fault::word_after_take, Fault::ignores_words,
                                         Fault::words_live_for_ever, Fault::holds_before_words,
                                         Fault::held_stands_for_confirmed, Fault::word_not_confirmed,
                                         Fault::word_raised_by_store));

}  // namespace
}  // namespace snowid::core
